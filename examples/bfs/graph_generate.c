/* The generator. An edge is a function of its number and the seed, so threads and processes need not agree on anything. */
#include "examples/bfs/graph.h"
#include "examples/bfs/support.h"

/* Graph500: 57 % of the edges in the first quarter of the matrix, 19 % in each of those beside it, 5 % in the last. */
#define FIRST_SHARE  .57
#define SECOND_SHARE .76
#define THIRD_SHARE  .95

#define TWO_TO_32 4294967296.

/* Edges of a piece. */
#define PIECE (INT64_C(1) << 20)

typedef struct generation {
    bfs_vertex_t (*end)[2]; /* receives edges from number `first` on */
    int64_t first;
    int scale;
    uint64_t seed;
    uint64_t scramble[4];
} generation_t;

/* A permutation of the numbers below 2^scale: products with odd numbers, and shifts, can be undone. */
static bfs_vertex_t scramble_id(const generation_t *generation, uint64_t id) {
    const int scale = generation->scale, shift = scale / 2 + 1;
    const uint64_t mask = (UINT64_C(1) << scale) - 1;

    for (int round = 0; round < 4; round++) {
        id = (id * (generation->scramble[round] | 1) + (generation->scramble[round] >> 32)) & mask;
        id ^= id >> shift;
    }
    return (bfs_vertex_t)id;
}

static void generate_edges(void *context, int64_t begin, int64_t end) {
    const generation_t *generation = context;
    const uint32_t first = (uint32_t)(FIRST_SHARE * TWO_TO_32), second = (uint32_t)(SECOND_SHARE * TWO_TO_32),
                   third = (uint32_t)(THIRD_SHARE * TWO_TO_32);
    const uint64_t draws = (uint64_t)generation->scale / 2 + 1;

    for (int64_t edge = begin; edge < end; edge++) {
        uint64_t from = 0, to = 0, bits = 0;

        for (int level = 0; level < generation->scale; level++) {
            uint32_t draw;

            /* One random number serves two levels. */
            bits = level % 2 == 0
                       ? bfs_random(generation->seed,
                                    (uint64_t)(generation->first + edge) * draws + (uint64_t)level / 2)
                       : bits >> 32;
            draw = (uint32_t)bits;
            from = from << 1 | (draw >= second);
            to = to << 1 | ((draw >= first && draw < second) || draw >= third);
        }
        generation->end[edge][0] = scramble_id(generation, from);
        generation->end[edge][1] = scramble_id(generation, to);
    }
}

static generation_t start(int scale, uint64_t seed) {
    generation_t generation = {.scale = scale, .seed = bfs_random(seed, 0)};

    for (int i = 0; i < 4; i++)
        generation.scramble[i] = bfs_random(seed, (uint64_t)i + 1);
    return generation;
}

void bfs_generate(int scale, int64_t count, uint64_t seed, bfs_edges_t *edges_p) {
    bfs_edges_t edges = {.vertices = INT64_C(1) << scale, .count = count, .room = count};
    generation_t generation = start(scale, seed);

    generation.end = edges.end = bfs_allocate(count, sizeof edges.end[0], "edges");
    bfs_for(count, generate_edges, &generation);
    *edges_p = edges;
}

void bfs_generate_pieces(int scale, int64_t count, uint64_t seed, bfs_take_t take, void *context) {
    generation_t generation = start(scale, seed);

    generation.end = bfs_allocate(count < PIECE ? count : PIECE, sizeof generation.end[0], "edges");
    for (; generation.first < count; generation.first += PIECE) {
        const int64_t left = count - generation.first, piece = left < PIECE ? left : PIECE;

        bfs_for(piece, generate_edges, &generation);
        take(context, generation.end, piece);
    }
    bfs_release(generation.end);
}
