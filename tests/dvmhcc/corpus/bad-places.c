/* Directives that stand before the wrong thing. */
#define N 10

#pragma dvm array distribute[block]
double A[N];
#pragma dvm inherit(A)
int count;
#pragma dvm get_actual(A)
#pragma dvm array distribute[block]
int function(void);

int main(void) {
    int i = 0;
#pragma dvm parallel([i] on A[i])
    while (i < N)
        i++;
#pragma dvm parallel([i] on A[i])
    {
        for (i = 0; i < N; i++)
            A[i] = 0;
    }
#pragma dvm array distribute[block]
    i = 3;
#pragma dvm exitinterval 3
    i++;
#pragma dvm region
}
#pragma dvm array distribute[block]

/* expect: 6:13: error: 'inherit' must stand directly before the declaration of a function */
/* expect: 8:13: error: 'get_actual' must stand inside of a function */
/* expect: 9:13: error: 'array' must stand directly before the declaration of an array */
/* expect: 14:13: error: 'parallel' must stand directly before a 'for' loop */
/* expect: 17:13: error: 'parallel' must stand directly before a 'for' loop */
/* expect: 22:13: error: 'array' must stand directly before the declaration of an array */
/* expect: 24:13: error: 'exitinterval' must stand directly before a break */
/* expect: 26:13: error: 'region' must stand directly before a block or a statement */
/* expect: 28:13: error: 'array' must stand directly before the declaration of an array */
