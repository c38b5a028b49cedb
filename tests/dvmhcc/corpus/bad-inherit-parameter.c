/* inherit names what is no parameter, or one that can be no array. */
#define N 10

#pragma dvm inherit(a, b)
void function(double *a, int n);
#pragma dvm inherit(n)
void other(double *a, int n);

int main(void) { return 0; }

/* expect: 4:24: error: 'function' has no parameter 'b' */
/* expect: 6:13: error: parameter 'n' cannot be a distributed array */
