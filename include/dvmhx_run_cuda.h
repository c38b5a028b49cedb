/* The ways to run a portion of a loop on a GPU, written once, for record handlers for CUDA (dvmhx.h). For files that nvcc compiles as
 * C++17. Nothing here calls the runtime, and nothing waits: dvmhx_launch queues kernels on the record's stream and returns, also while
 * that stream is captured.
 *
 * A loop is a function object:
 *
 *     template <typename Index> struct sweep { // Index: int where record->launch->narrow, else DvmType
 *         enum { RANK = 2, HAS_DEPENDENCES = 1, REDUCTIONS = 1 }; // REDUCTIONS: number of them
 *         typedef Index index_t;
 *         double *a;
 *         Index s1, s2;
 *         double w, largest;
 *         DVMHX_DEVICE void operator()(Index i, Index j) { // one iteration; outermost variable first
 *             double *x = a + i * s1 + j * s2;
 *             *x = w / 2 * (x[-s1] + x[-s2]) + (1 - w) * *x;
 *             largest = *x > largest ? *x : largest;
 *         }
 *         template <typename Visitor> DVMHX_DEVICE void reductions(Visitor &visit) { // as in the record; not needed with REDUCTIONS 0
 *             visit.template value<rf_MAX>(0, largest);
 *         }
 *     };
 *     template <typename Index> static void start(const dvmhx_record_t *record, const double *w) {
 *         const dvmhx_array_t *a = &record->arrays[0];
 *         sweep<Index> loop = {(double *)a->base, (Index)a->stride[0], (Index)a->stride[1], *w,
 *                              *(const double *)record->launch->slots[0].start};
 *         dvmhx_launch(record, loop);
 *     }
 *     extern "C" void sweep_cuda(const dvmhx_record_t *record, const double *w) { // the handler to register
 *         if (record->launch->narrow)
 *             start<int>(record, w);
 *         else
 *             start<DvmType>(record, w);
 *     }
 *
 * The object. It is copied, as bytes, to every thread, and its members live in registers; so store its address nowhere. Pointers to
 * arrays are neither const nor __restrict__: what a loop reads may be what other threads of it write. Members of all kernels' parameters
 * may have 4 KB, less a few hundred bytes. The index type says how wide variables and offsets are; its arithmetic must not overflow.
 *
 * Reductions. In operator() their members collect what one thread finds; they begin with slots[].start, and slots[].start_location.
 *     visit.template value<rf_..>(number, member)               a scalar
 *     visit.template value_at<rf_..>(number, member, location)  with its location, a member of any type, arrays included
 *     visit.array(number, pointer)                              an array: the pointer is set to a slot of the thread's own
 *
 * May be members as well:
 *     DVMHX_DEVICE void settle(const sweep *given)
 *         called on each copy before anything else; `given` is the object in the memory of parameters. For arrays inside the object, which
 *         would keep the whole copy out of registers when they are indexed: set a pointer to those of `given`, and index that.
 *     enum { WEIGHT = 8 }
 *         without dependences: how many values an iteration works with, roughly. Few of them leave room for more threads.
 *     DVMHX_DEVICE void prefetch(Index i, Index j)
 *         dvmhx_fetch(&element) for one element of each array, the one that iteration (i, j) meets first. Called for iterations
 *         that come some fronts later, each inside the portion. Loops with dependences live from it.
 *
 * Without dependences a pointer to what is only read may be a dvmhx_readable<double, Index>, where dvmhx_are_apart says that nothing of the
 * record is both read and written under two names: its loads need not wait for stores.
 *
 * What is compiled: with HAS_DEPENDENCES 0 one kernel, with 1 six, each with the body inlined.
 *
 * Results. GRID, LINES, FRONTS: a reduction is the same in every run with the same launch. TILES: those of scalars, too; which thread of
 * which block collects into the slot of an array depends on who is first, so sums of floating numbers in arrays may differ in their last
 * bits. Of equal values MAXLOC and MINLOC keep that of the lowest slot; in a slot that of the lowest thread, in a thread the first found. */
#ifndef DVMHX_RUN_CUDA_H
#define DVMHX_RUN_CUDA_H

#include <dvmhx.h>
#include <dvmhx_launch.h>

#ifdef __CUDACC__

#include <dvmhx_run_cuda_columns.h>
#include <dvmhx_run_cuda_fronts.h>
#include <dvmhx_run_cuda_points.h>

/**
 * Queue the iterations of a record as its launch says.
 * @param record  of a GPU: launch is not NULL
 * @param loop    function object; copied
 * A launch that fails is told to the runtime by dvmhx_launch.h. Asynchronous. Main thread.
 */
template <typename Loop> void dvmhx_launch(const dvmhx_record_t *record, const Loop &loop) {
    static_assert(Loop::RANK >= 1 && Loop::RANK <= 8, "loops have 1 to 8 dims");
    if constexpr (Loop::HAS_DEPENDENCES) {
        const DvmType kind = record->launch->kind;
        if (kind == DVMHX_LAUNCH_TILES && record->launch->predecessor_count <= DVMHX_PREDECESSORS) {
            dvmhx_launch_columns(record, loop);
            return;
        }
        if (kind == DVMHX_LAUNCH_FRONTS || kind == DVMHX_LAUNCH_TILES) {
            dvmhx_launch_fronts(record, loop);
            return;
        }
    }
    dvmhx_launch_points(record, loop);
}

#endif

#endif
