/* remote_access of elements that nobody reads, or that are written as well. */
#define N 10

#pragma dvm array distribute[block]
double A[N];
#pragma dvm array distribute[block]
double B[N];

int main(void) {
    int k = 3;
    double x = 0;
#pragma dvm parallel([i] on A[i]) remote_access(B[i + 1], B[N - 1 - i])
    for (int i = 0; i < N; i++)
        A[i] = B[N - 1 - i];
#pragma dvm remote_access(A[k], B[k])
    {
        A[k] = 5;
        x = A[k] + B[k + 1];
    }
    return x > 0;
}

/* expect: 12:49: warning: the loop reads no element of 'B' with these subscripts */
/* expect: 15:33: warning: the block reads no element of 'B' with these subscripts */
/* expect: 17:9: warning: the block writes this element, and reads it as the copy that remote_access made before */
