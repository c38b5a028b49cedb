/* Places of GPUs, by their numbers on the PCI bus, which hwloc knows the neighbourhood of; see the header. */
#include <config.h>

#include "rts/cuda/cuda_topology.h"

#include <cuda_runtime_api.h>
#include <string.h>

#ifdef HAVE_HWLOC
#include <hwloc.h>
#endif

enum { BUS_ID_SIZE = 32 };

#ifdef HAVE_HWLOC

/* The machine with its PCI devices; the host backend's view has none, because they take time. */
static bool load_machine(hwloc_topology_t *topology_p) {
    if (hwloc_topology_init(topology_p) != 0)
        return false;
    (void)hwloc_topology_set_components(*topology_p, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    if (hwloc_topology_set_io_types_filter(*topology_p, HWLOC_TYPE_FILTER_KEEP_IMPORTANT) == 0 &&
        hwloc_topology_load(*topology_p) == 0)
        return true;
    hwloc_topology_destroy(*topology_p);
    return false;
}

static uint64_t find_near(const char bus_id[][BUS_ID_SIZE], int count) {
    hwloc_topology_t topology;
    uint64_t near = 0;
    if (count < 2 || !load_machine(&topology))
        return 0;
    const hwloc_cpuset_t mine = hwloc_bitmap_alloc();
    if (mine != NULL && hwloc_get_cpubind(topology, mine, HWLOC_CPUBIND_PROCESS) == 0)
        for (int i = 0; i < count; i++) {
            const hwloc_obj_t gpu = hwloc_get_pcidev_by_busidstring(topology, bus_id[i]);
            const hwloc_obj_t around = gpu != NULL ? hwloc_get_non_io_ancestor_obj(topology, gpu) : NULL;
            if (around != NULL && around->cpuset != NULL && hwloc_bitmap_intersects(mine, around->cpuset))
                near |= UINT64_C(1) << i;
        }
    hwloc_bitmap_free(mine);
    hwloc_topology_destroy(topology);
    return near;
}

#else

static uint64_t find_near(const char bus_id[][BUS_ID_SIZE], int count) {
    (void)bus_id;
    (void)count;
    return 0;
}

#endif

/* FNV-1a. */
static uint64_t fold(uint64_t number, const char *text) {
    for (; *text != '\0'; text++)
        number = (number ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return number;
}

void rts_cuda_topology(const int gpu[], int count, uint64_t *key_p, uint64_t *near_p) {
    char bus_id[64][BUS_ID_SIZE];
    *key_p = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < count; i++) {
        bus_id[i][0] = '\0';
        if (cudaDeviceGetPCIBusId(bus_id[i], BUS_ID_SIZE, gpu[i]) != cudaSuccess)
            (void)cudaGetLastError();
        *key_p = fold(fold(*key_p, bus_id[i]), ",");
    }
    *near_p = find_near((const char(*)[BUS_ID_SIZE])bus_id, count);
}
