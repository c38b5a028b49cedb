/* Elements that remote_access names, as a clause of a loop and as a directive of its own: which references read them. Part of the
 * program of program.h. Decides what is the same element by the subscripts alone, so that it is the same at run time; whether a
 * process has an element otherwise is the runtime's to know. */
#ifndef DVMHCC_REMOTE_H
#define DVMHCC_REMOTE_H

#include "compiler-hooks/dvmhcc/access.h"

/**
 * The section of a loop's remote_access clauses that a reference reads: the first one whose subscripts are the same, by their words or
 * by what they are known to be.
 *
 * @param axes  of the reference, as many as the array's rank
 * @return its number, from 1 in the order of the clauses; 0: none
 */
int dvmhcc_remote_of_loop(const dvmhcc_program_t *program, const dvmhcc_loop_t *loop,
                          const dvmhcc_distributed_t *array, const dvmhcc_axis_access_t axes[]);

/** Tell what is wrong with the remote_access clauses of a loop: indices that the directive does not name, sections that no reference
 * reads. References are collected. */
void dvmhcc_remote_check_loop(dvmhcc_program_t *program, dvmhcc_loop_t *loop);

/**
 * The section of a remote_access directive around a reference outside of parallel loops that it reads: of the innermost block the first
 * one whose subscripts are the same.
 *
 * @param node        the reference
 * @param subscripts  as many as the array's rank
 * @param attached_p  gets the directive
 * @return the section; NULL: none
 */
const dvmhcc_reference_t *dvmhcc_remote_around(const dvmhcc_program_t *program, const dvmhcc_node_t *node,
                                               const dvmhcc_distributed_t *array,
                                               dvmhcc_node_t *const subscripts[],
                                               const dvmhcc_attached_t **attached_p);

#endif
