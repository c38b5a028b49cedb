/* Kernels for any loop of tests/unit/exec_example.h: each iteration calls back into the test, as only a GPU that the host plays allows. */
#include <dvmhx_run_cuda.h>

extern "C" void example_kernel_iteration(const void *kept, const DvmType variable[]);
extern "C" void example_kernel_launch(const dvmhx_record_t *record, const void *kept, int is_dependent);
extern "C" void example_faulty_launch(const dvmhx_record_t *record);

namespace {

template <int DIMS, int IS_DEPENDENT, typename Index> struct example_object {
    enum { RANK = DIMS, HAS_DEPENDENCES = IS_DEPENDENT, REDUCTIONS = 0 };
    typedef Index index_t;
    const void *kept;
    template <typename... Variables> DVMHX_DEVICE void operator()(Variables... variables) {
        const DvmType all[] = {(DvmType)variables...};
        example_kernel_iteration(kept, all);
    }
};

template <int DIMS, int IS_DEPENDENT> void start(const dvmhx_record_t *record, const void *kept) {
    if (record->launch->narrow)
        dvmhx_launch(record, example_object<DIMS, IS_DEPENDENT, int>{kept});
    else
        dvmhx_launch(record, example_object<DIMS, IS_DEPENDENT, DvmType>{kept});
}

struct faulty_object {
    enum { RANK = 2, HAS_DEPENDENCES = 0, REDUCTIONS = 0 };
    typedef DvmType index_t;
    long long *array;
    DVMHX_DEVICE void operator()(DvmType i, DvmType j) { array[((DvmType)1 << 35) + i + j] = 1; }
};

} // namespace

/** Writes where the array is not. */
void example_faulty_launch(const dvmhx_record_t *record) {
    dvmhx_launch(record, faulty_object{(long long *)record->arrays[0].base});
}

void example_kernel_launch(const dvmhx_record_t *record, const void *kept, int is_dependent) {
    if (record->rank == 2)
        is_dependent ? start<2, 1>(record, kept) : start<2, 0>(record, kept);
    else
        is_dependent ? start<3, 1>(record, kept) : start<3, 0>(record, kept);
}
