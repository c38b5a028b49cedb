/* A distributed array with values in its declaration. */
#pragma dvm array distribute[block]
double A[3] = {1, 2, 3};

int main(void) { return 0; }

/* expect: 3:15: error: the distributed array 'A' cannot have this initialiser */
