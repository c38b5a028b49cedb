/* A program without directives. */
#include <stdio.h>

int main(int argc, char **argv) {
    double table[5] = {1, 2, 3};
    for (int i = 3; i < 5; i++)
        table[i] = table[i - 1] * table[i - 2];
    printf("%g %d %d\n", table[4], argc, argv[0] != NULL);
    return 0;
}
