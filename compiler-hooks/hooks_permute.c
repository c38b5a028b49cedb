/* Permutations of arrays. Checks that both headers are those of arrays; rts/permute.h has the rules for what is in them. */
#include <config.h>

#include <dvmhx.h>

#include "compiler-hooks/hooks_object.h"
#include "rts/permute.h"

HOOKS_API void dvmhx_permute_C(const DvmType array[], const DvmType order[]) {
    hooks_need_collective(__func__);
    rts_array_t *const permuted = hooks_array(__func__, array), *const by = hooks_array(__func__, order);
    HOOKS_TRY(rts_permute(permuted, by));
}
