/* The kernels for each width of levels. */
#include "examples/bfs/search.h"
#include "examples/bfs/search_inside.h"

#define LEVEL        uint8_t
#define WIDER        uint16_t
#define KERNEL(name) name##_8
#include "examples/bfs/search_kernels.h"

#define LEVEL        uint16_t
#define WIDER        uint32_t
#define KERNEL(name) name##_16
#include "examples/bfs/search_kernels.h"

#define LEVEL        uint32_t
#define KERNEL(name) name##_32
#include "examples/bfs/search_kernels.h"

const bfs_kernels_t *bfs_kernels(const bfs_search_t *search) {
    return search->level_bytes == 1 ? &table_8 : search->level_bytes == 2 ? &table_16 : &table_32;
}
