/* remote_access whose subscripts do not stay what they are. */
#define N 10

#pragma dvm array distribute[block]
double A[N];
#pragma dvm array distribute[block]
double B[N];

int main(void) {
    int k = 3, i;
    double x = 0;
#pragma dvm remote_access(A[k], A[2 * k + 1])
    {
        x += A[k] + A[2 * k + 1];
        k++;
    }
#pragma dvm parallel(1) remote_access(A[i])
    for (i = 0; i < N; i++)
        B[i] = A[i];
    return x > 0;
}

/* expect: 15:9: error: the block changes 'k', on which its remote_access depends */
/* expect: 17:40: error: remote_access names the index 'i' of the loop, so 'parallel' must name it as well */
