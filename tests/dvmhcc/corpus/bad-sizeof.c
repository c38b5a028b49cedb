/* The size of an array that is known at run time only. */
int main(int argc, char **argv) {
    int n = argc + 3;
#pragma dvm array distribute[block]
    double L[n];
    (void)argv;
    return (int)(sizeof(L) / sizeof(L[0]));
}

/* expect: 7:18: error: the size of this part of a distributed array is not known when the program is compiled */
