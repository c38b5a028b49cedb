/* What cannot be a distributed array or a template. */
#define N 10

#pragma dvm array
double x;
#pragma dvm array distribute[block]
char *P[N];
#pragma dvm template[N] distribute[block]
int *T;

int main(void) { return 0; }

/* expect: 4:13: error: 'x' is neither an array nor a pointer */
/* expect: 6:13: error: elements of the distributed array 'P' */
/* expect: 8:13: error: a template is a variable of type 'void *' */
