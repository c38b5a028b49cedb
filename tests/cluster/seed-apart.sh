#!/bin/sh
# seed-apart.sh PROGRAM ARGUMENTS - run one process of a job with a planner that chooses at random, from SEED_APART and the process's number,
# so that no two processes of a job plan alike.
rank=${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-${PMI_RANK:-0}}}
DVMH_PLANNER=random:$((SEED_APART * 1000 + rank))
export DVMH_PLANNER
exec "$@"
