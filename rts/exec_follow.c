/* Which columns of a sweep the next one waits for; see the header. Two iterations of different sweeps meet where they would in one sweep, so
 * the distances between references are all that has to be known, here both ways and as they are: the dependences of a loop may leave out what
 * others imply, and widths say nothing of how far. */
#include <config.h>

#include "rts/exec_follow.h"

#include <string.h>

/* ---- the loop ---- */

/* Whether the references say of any two iterations whether they meet: all have the same multiples of the same dims, and no dim is left out. */
static bool tells_all(const rts_loop_t *loop, const rts_loop_array_t *use) {
    unsigned walked = 0;
    if (!use->has_references)
        return false;
    for (int axis = 0; axis < use->array->space.rank; axis++) {
        if (!use->reach[axis].is_known)
            return false;
        if (use->dim[axis] >= 0)
            walked |= 1u << use->dim[axis];
    }
    return walked == (1u << loop->rank) - 1;
}

/* Whether sweeps do nothing but change arrays whose references are known, without the help of the host in between. */
static bool is_known(const rts_loop_t *loop) {
    if (loop->is_uncertain || loop->reduction_count > 0 || loop->remote_count > 0 ||
        loop->consistent_count > 0 || loop->shadow.is_given || loop->array_count == 0)
        return false;
    for (int i = 0; i < loop->array_count; i++)
        if ((loop->array[i].intent & 2) != 0 && !tells_all(loop, &loop->array[i]))
            return false;
    for (int i = 0; i < loop->variable_count; i++)
        if ((loop->variable[i].intent & 2) != 0)
            return false;
    return true;
}

/* ---- columns ---- */

/* An offset once. @return false: no room */
static bool add(rts_follow_t *follow, int room, const int8_t offset[]) {
    for (int i = 0; i < follow->count; i++)
        if (memcmp(follow->offset[i], offset, sizeof follow->offset[i]) == 0)
            return true;
    if (follow->count == room)
        return false;
    memcpy(follow->offset[follow->count++], offset, sizeof follow->offset[0]);
    return true;
}

/* A predecessor of the column is at least as far as the column itself, which is waited for. */
static bool is_predecessor(const rts_plan_t *plan, const int8_t offset[]) {
    for (int i = 0; i < plan->predecessor_count; i++)
        if (memcmp(plan->predecessor[i], offset, sizeof plan->predecessor[i]) == 0)
            return true;
    return false;
}

/* The columns from which a distance may lead into one: as many tiles back as it covers along each dim, rounded down or up. */
static bool add_distance(const rts_loop_t *loop, const rts_plan_t *plan, const rts_index_t distance[],
                         rts_follow_t *follow) {
    const int room = RTS_FOLLOW_MOST - plan->predecessor_count;
    rts_index_t near[RTS_MAX_RANK], far[RTS_MAX_RANK], fronts = 0;
    for (int dim = 0; dim < loop->rank; dim++) {
        const rts_index_t v = distance[dim], size = v < 0 ? -v : v;
        const bool is_cut = dim != plan->launch.march_dim;
        near[dim] = is_cut ? size / plan->tile[dim] : 0;
        far[dim] = is_cut ? rts_div_up(size, plan->tile[dim]) : 0;
        if (size >= loop->piece[dim])
            return true; /* no iterations are so far apart */
        if (far[dim] > INT8_MAX)
            return false;
        near[dim] = v < 0 ? -near[dim] : near[dim];
        far[dim] = v < 0 ? -far[dim] : far[dim];
        fronts -= plan->time[dim] * v; /* to the iteration `distance` before this one */
    }
    follow->fronts = rts_max(follow->fronts, fronts);
    for (unsigned choice = 0; choice < 1u << loop->rank; choice++) {
        int8_t offset[RTS_MAX_RANK] = {0};
        for (int dim = 0; dim < loop->rank; dim++)
            offset[dim] = (int8_t)((choice >> dim & 1) != 0 ? far[dim] : near[dim]);
        if ((fronts > 0 || !is_predecessor(plan, offset)) && !add(follow, room, offset))
            return false;
    }
    return true;
}

bool rts_follow_find(const rts_loop_t *loop, const rts_plan_t *plan, rts_follow_t *follow_p) {
    const rts_index_t itself[RTS_MAX_RANK] = {0};
    *follow_p = (rts_follow_t){.count = 0};
    if (plan->predecessor_count >= RTS_FOLLOW_MOST || !is_known(loop) ||
        !add_distance(loop, plan, itself, follow_p))
        return false;
    for (int i = 0; i < loop->found.count; i++) {
        rts_index_t back[RTS_MAX_RANK];
        for (int dim = 0; dim < loop->rank; dim++)
            back[dim] = -loop->found.vector[i][dim];
        if (!add_distance(loop, plan, loop->found.vector[i], follow_p) ||
            !add_distance(loop, plan, back, follow_p))
            return false;
    }
    return true;
}
