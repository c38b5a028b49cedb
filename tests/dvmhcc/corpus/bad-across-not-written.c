/* across on an array that the loop only reads. */
#define N 10

#pragma dvm array distribute[block]
double A[N];
#pragma dvm array align([i] with A[i])
double B[N];

int main(void) {
    int i;
#pragma dvm parallel([i] on A[i]) across(A[1:0], B[1:0])
    for (i = 1; i < N; i++)
        A[i] = A[i - 1] + B[i - 1];
    return 0;
}

/* expect: 11:50: error: 'B' is in across, but the loop does not write it */
