/* Tiles and their messages. Every process takes its own tiles in the order of all tiles; so the first tile of all that has not run yet finds
 * everything that it waits for already sent, and no process waits for ever. Messages from one process to another come in the order of
 * its tiles, and both sides compute which tiles send something: those that come before the last tile of the receiver. */
#include <config.h>

#include "rts/pipeline.h"

#include <dvmhlib_const.h>
#include <string.h>

#include "rts/coherence_values.h"
#include "rts/exchange.h"
#include "rts/log.h"
#include "rts/memory.h"
#include "rts/pipeline_inside.h"
#include "rts/pipeline_out.h"
#include "rts/pipeline_stages.h"
#include "rts/runtime.h"
#include "rts/stats.h"

static rts_neighbourhood_t around;

/* Messages on their way from here. As many as there have to be: a process that waited for one to arrive could keep others from the
 * tile that they wait for. */
static struct {
    rts_packet_t *packet;
    int count, next;
} sending;

/* ---- cutting ---- */

/* What the loop depends on across processes must be said in a clause. */
static rts_status_t check_clauses(const rts_loop_t *loop, const rts_index_t parts[]) {
    for (int dim = 0; dim < loop->rank; dim++)
        if (loop->across_count == 0 && parts[dim] > 1 && !rts_dependences_is_free(&loop->vectors, dim))
            return rts_fail(
                RTS_ERR_INVALID,
                "dependences along loop axis %d, which is spread over %lld processes; allowed with an across "
                "clause for the arrays that they are about",
                dim + 1, (long long)parts[dim]);
    return RTS_OK;
}

/* Largest extents of the tiles here. */
static void set_pieces(rts_loop_t *loop) {
    const rts_index_t count = rts_cut_tile_count(&around.cut, &loop->local);
    for (int dim = 0; dim < loop->rank; dim++) {
        const rts_index_t length = loop->local.hi[dim] - loop->local.lo[dim];
        if (dim == around.cut.stage_dim && !around.cut.by_fronts)
            loop->piece[dim] = rts_div_up(length, rts_max(1, rts_min(around.cut.stages, length)));
        else if (around.cut.limit[dim] > 0)
            loop->piece[dim] = rts_min(length, around.cut.limit[dim]);
    }
    loop->is_cut = count > 1;
    loop->front_lag = around.cut.by_fronts ? around.cut.lag : 0;
}

/* For developers, once for loops that follow each other. */
static void say_mixed(const rts_loop_t *loop) {
    static int said_line;
    if (rts_log_threshold < RTS_LOG_DEBUG || loop->position.line == said_line)
        return;
    said_line = loop->position.line;
    rts_log(RTS_LOG_DEBUG,
            "loop of %s:%d: dependences go back along a distributed axis, so processes exchange edges after "
            "each few "
            "iterations",
            loop->position.file != NULL ? loop->position.file : "?", said_line);
}

/* Wherever the loop will run, which each process decides for itself. */
static bool may_run_fronts(const rts_loop_t *loop) {
    const rts_strategy_choice_t forced = rts_runtime()->common_strategy;
    if (forced != RTS_CHOICE_AUTO && forced != RTS_CHOICE_TILE)
        return false;
    if (rts_runtime()->common_gpus && rts_loop_handler(loop, DEVICE_TYPE_CUDA) != NULL)
        return false; /* GPUs run boxes alone */
    for (int i = 0; i < around.across_count; i++)
        if (!rts_across_has_fronts(&around.across[i], loop->rank))
            return false;
    return loop->handler_count > 0 && !rts_loop_has_query_handler(loop) && !loop->is_uncertain;
}

static rts_status_t cut(rts_loop_t *loop, const rts_index_t parts[]) {
    rts_dependences_t dependences;
    rts_cut_facts_t facts = {.rank = loop->rank, .dependences = &dependences};
    if (!rts_loop_whole_dependences(loop, &dependences))
        return rts_fail(RTS_ERR_UNSUPPORTED, "more than %d dependences in a loop over several processes",
                        RTS_MAX_DEPENDENCES);
    memcpy(facts.count, loop->count, sizeof facts.count);
    memcpy(facts.parts, parts, sizeof facts.parts);
    facts.divisible = rts_across_divisible(loop, around.across, around.across_count);
    facts.has_fronts = may_run_fronts(loop);
    RTS_TRY(rts_cut_make(&facts, &around.cut));
    RTS_TRY(rts_stages_choose(loop, parts, &around.cut));
    if (around.cut.is_mixed)
        say_mixed(loop);
    if (!loop->is_empty)
        set_pieces(loop);
    return RTS_OK;
}

rts_status_t rts_pipeline_prepare(rts_loop_t *loop, bool *needed_p) {
    rts_index_t parts[RTS_MAX_RANK] = {0};
    *needed_p = false;
    if (rts_comm_size() == 1 || !loop->has_map || (loop->across_count == 0 && !loop->has_vectors))
        return RTS_OK;
    for (int dim = 0; dim < loop->rank; dim++)
        if (loop->count[dim] == 0)
            return RTS_OK; /* nothing to do anywhere */
    rts_across_parts(loop, &rts_runtime()->grid, parts);
    RTS_TRY(check_clauses(loop, parts));
    RTS_TRY(rts_across_find(loop, &rts_runtime()->grid, around.across, &around.across_count));
    *needed_p = around.across_count > 0;
    around.loop = loop;
    return *needed_p ? cut(loop, parts) : RTS_OK;
}

/* ---- messages ---- */

/* What a tile writes of one array in one part; by fronts only elements on some of them, which are counted from the first iteration. */
static rts_front_box_t written(int number, const rts_cut_tile_t *tile, const rts_box_t *part) {
    const rts_across_array_t *across = &around.across[number];
    rts_front_box_t fronts = {.box = rts_box_empty(part->rank)};
    if (across->is_out || rts_box_is_empty(part))
        return fronts; /* rts/pipeline_out.h */
    const rts_box_t image = rts_across_image(across, &tile->box);
    fronts.box = rts_box_intersect(&image, part);
    if (around.cut.by_fronts && !rts_box_is_empty(&fronts.box))
        rts_across_fronts(across, around.cut.rank, around.cut.lag, tile->front_lo, tile->front_hi, &fronts);
    return fronts;
}

static size_t written_bytes(int number, const rts_front_box_t *fronts) {
    return (size_t)(around.cut.by_fronts && !rts_box_is_empty(&fronts->box) ? rts_front_box_size(fronts)
                                                                            : rts_box_size(&fronts->box)) *
           around.across[number].array->element.bytes;
}

static size_t message_bytes(int number, const rts_cut_tile_t *tile, bool ours) {
    size_t bytes = 0;
    for (int i = 0; i < around.across_count; i++) {
        const rts_front_box_t fronts = written(i, tile, rts_neighbour_part(&around, number, i, ours));
        bytes += written_bytes(i, &fronts);
    }
    return bytes;
}

/* The packet that has been on its way for longest, if it has arrived; else a new one. */
static rts_status_t free_packet(rts_packet_t **packet_p) {
    bool is_free = false;
    if (sending.count > 0)
        RTS_TRY(rts_comm_test(&sending.packet[sending.next].flight, &is_free));
    if (!is_free) {
        const int count = sending.count > 0 ? 2 * sending.count : 8;
        rts_packet_t *packet = rts_alloc_zeroed((size_t)count, sizeof *packet);
        if (packet == NULL)
            return rts_fail_memory("the messages of an across loop", (size_t)count * sizeof *packet);
        for (int i = 0; i < sending.count; i++) /* the oldest first, after the new ones */
            packet[count - sending.count + i] = sending.packet[(sending.next + i) % sending.count];
        rts_free(sending.packet);
        sending.packet = packet;
        sending.count = count;
        sending.next = 0;
    }
    *packet_p = &sending.packet[sending.next];
    sending.next = (sending.next + 1) % sending.count;
    return RTS_OK;
}

/* Whether a GPU has something of what a tile sends. Elements along fronts are the host's. */
static bool is_on_device(int number, const rts_cut_tile_t *tile) {
    bool any = false;
    for (int i = 0; i < around.across_count && !around.cut.by_fronts && !any; i++) {
        const rts_front_box_t fronts = written(i, tile, rts_neighbour_part(&around, number, i, true));
        any = !rts_box_is_empty(&fronts.box) && rts_coherence_reads(around.across[i].array, &fronts.box) > 0;
    }
    return any;
}

static rts_status_t pack_tile(int number, const rts_cut_tile_t *tile, const rts_device_mail_t *mail,
                              char *buffer) {
    size_t at = 0;
    for (int i = 0; i < around.across_count; i++) {
        rts_array_t *array = around.across[i].array;
        const rts_front_box_t fronts = written(i, tile, rts_neighbour_part(&around, number, i, true));
        if (mail->place != NULL)
            RTS_TRY(rts_exchange_pack(mail, array, &fronts.box, at));
        else
            RTS_TRY(around.cut.by_fronts ? rts_coherence_read_fronts(array, &fronts, buffer + at)
                                         : rts_coherence_read(array, &fronts.box, buffer + at));
        at += written_bytes(i, &fronts);
    }
    return RTS_OK;
}

static rts_status_t send_tile(int number, const rts_cut_tile_t *tile) {
    const int process = around.neighbour[number].process;
    size_t bytes = message_bytes(number, tile, true);
    rts_device_mail_t mail = {.place = NULL};
    if (bytes == 0)
        return RTS_OK;
    rts_packet_t *packet = NULL;
    RTS_TRY(free_packet(&packet));
    RTS_TRY(rts_packet_reserve(packet, rts_exchange_room(bytes)));
    if (is_on_device(number, tile))
        RTS_TRY(rts_exchange_begin(process, bytes, &mail));
    RTS_TRY(pack_tile(number, tile, &mail, packet->buffer));
    if (mail.place != NULL) {
        rts_notice_t notice;
        RTS_TRY(rts_exchange_end(&mail, &notice));
        memcpy(packet->buffer, &notice, sizeof notice);
        bytes = sizeof notice;
    }
    return rts_comm_send(&packet->flight, process, RTS_TAG_PIPELINE, packet->buffer, bytes);
}

static rts_status_t send_after(const rts_cut_tile_t *tile) {
    for (int n = 0; n < around.count; n++) {
        const rts_neighbour_t *neighbour = &around.neighbour[n];
        if (!neighbour->is_after)
            continue;
        const rts_cut_tile_t last = rts_cut_tile(&around.cut, &neighbour->local, neighbour->tile_count - 1);
        if (rts_cut_tile_before(&around.cut, tile, &last))
            RTS_TRY(send_tile(n, tile));
    }
    return RTS_OK;
}

/* Let the next message of a neighbour come while tiles run here. Tiles without a message are stepped over. */
static rts_status_t post(int number) {
    rts_neighbour_t *neighbour = &around.neighbour[number];
    const rts_box_t *here = &around.loop->local;
    const rts_cut_tile_t last = rts_cut_tile(&around.cut, here, rts_cut_tile_count(&around.cut, here) - 1);
    for (; neighbour->next < neighbour->tile_count; neighbour->next++) {
        const rts_cut_tile_t tile = rts_cut_tile(&around.cut, &neighbour->local, neighbour->next);
        if (!rts_cut_tile_before(&around.cut, &tile, &last))
            return RTS_OK;
        const size_t bytes = message_bytes(number, &tile, false);
        if (bytes == 0)
            continue;
        RTS_TRY(rts_packet_reserve(&neighbour->packet, rts_exchange_room(bytes)));
        neighbour->is_posted = true;
        return rts_comm_receive(&neighbour->packet.flight, neighbour->process, RTS_TAG_PIPELINE,
                                neighbour->packet.buffer, rts_exchange_room(bytes));
    }
    return RTS_OK;
}

/* Where a message that has come lies: in device memory when it is a notice. */
static rts_status_t find_mail(int number, const rts_cut_tile_t *tile, rts_device_mail_t *mail_p) {
    const rts_neighbour_t *neighbour = &around.neighbour[number];
    rts_notice_t notice;
    mail_p->place = NULL;
    if (rts_comm_arrived(&neighbour->packet.flight, 0) == message_bytes(number, tile, false))
        return RTS_OK;
    memcpy(&notice, neighbour->packet.buffer, sizeof notice);
    return rts_exchange_come(neighbour->process, &notice, mail_p);
}

/* Wait for the message that was posted and put its values where the loop finds them. */
static rts_status_t take(int number, const rts_cut_tile_t *tile, const rts_exec_data_t *data) {
    rts_neighbour_t *neighbour = &around.neighbour[number];
    rts_device_mail_t mail;
    size_t at = 0;
    RTS_TRY(rts_comm_wait(&neighbour->packet.flight));
    neighbour->is_posted = false;
    RTS_TRY(find_mail(number, tile, &mail));
    for (int i = 0; i < around.across_count; i++) {
        rts_array_t *array = around.across[i].array;
        const rts_front_box_t fronts = written(i, tile, rts_neighbour_part(&around, number, i, false));
        char *values = neighbour->packet.buffer + at;
        if (rts_box_is_empty(&fronts.box))
            continue;
        if (mail.place != NULL)
            RTS_TRY(rts_exchange_unpack(&mail, array, &fronts.box, at, values));
        else
            RTS_TRY(around.cut.by_fronts ? rts_coherence_write_fronts(array, &fronts, values)
                                         : rts_coherence_write(array, &fronts.box, values));
        RTS_TRY(rts_exec_data_bring(data, array, &fronts.box));
        at += written_bytes(i, &fronts);
    }
    if (mail.place != NULL)
        RTS_TRY(rts_exchange_taken(&mail));
    neighbour->next++;
    return post(number);
}

static rts_status_t receive_before(const rts_cut_tile_t *tile, const rts_exec_data_t *data) {
    for (int n = 0; n < around.count; n++) {
        const rts_neighbour_t *neighbour = &around.neighbour[n];
        while (neighbour->is_posted) {
            const rts_cut_tile_t theirs = rts_cut_tile(&around.cut, &neighbour->local, neighbour->next);
            if (!rts_cut_tile_before(&around.cut, &theirs, tile))
                break;
            RTS_TRY(take(n, &theirs, data));
        }
    }
    return RTS_OK;
}

/* ---- the loop ---- */

static rts_status_t run_tiles(const rts_exec_data_t *data, rts_launch_fn_t launch) {
    const rts_box_t *here = &around.loop->local;
    const rts_index_t count = rts_cut_tile_count(&around.cut, here);
    const bool is_out = rts_out_is_needed(&around);
    for (int n = 0; n < around.count; n++)
        if (around.neighbour[n].is_before)
            RTS_TRY(post(n));
    for (rts_index_t number = 0; number < count; number++) {
        const rts_cut_tile_t tile = rts_cut_tile(&around.cut, here, number);
        RTS_TRY(receive_before(&tile, data));
        if (is_out)
            RTS_TRY(rts_out_begin(&around, data));
        RTS_TRY(rts_old_run(&around, data, &tile, launch));
        RTS_TRY(send_after(&tile));
    }
    for (int i = 0; i < sending.count; i++)
        RTS_TRY(rts_comm_wait(&sending.packet[i].flight));
    return RTS_OK;
}

rts_status_t rts_pipeline_run(const rts_loop_t *loop, const rts_exec_data_t *data, rts_launch_fn_t launch,
                              const int64_t *launched_ns) {
    const int64_t begin_ns = rts_clock_ns(), launched_before_ns = *launched_ns;
    RTS_TRY(rts_neighbours_find(&around));
    RTS_TRY(rts_old_start(&around, data));
    if (!loop->is_empty)
        RTS_TRY(run_tiles(data, launch));
    RTS_TRY(rts_old_finish(&around, data));
    if (rts_out_is_needed(&around))
        RTS_TRY(rts_out_end(&around, data));
    rts_stages_post((double)(*launched_ns - launched_before_ns) * 1e-9,
                    (double)(rts_clock_ns() - begin_ns) * 1e-9);
    return RTS_OK;
}

void rts_pipeline_reset(void) {
    rts_neighbours_free(&around);
    for (int i = 0; i < sending.count; i++)
        rts_packet_free(&sending.packet[i]);
    rts_free(sending.packet);
    sending.packet = NULL;
    sending.count = sending.next = 0;
    rts_stages_reset();
}
