/* calloc of an array that has no place yet. */
#include <stdlib.h>

#pragma dvm array
int *C;

int main(void) {
    C = calloc(10, sizeof(int));
    return 0;
}

/* expect: 8:5: error: calloc cannot clear 'C', which gets its place later, by redistribute or realign */
