/* A template has no elements. */
#define N 10

#pragma dvm template[N] distribute[block]
void *T;

int main(void) {
    double *p = T;
    return p == 0;
}

/* expect: 8:17: error: 'T' is a template; it stands in directives only */
