/* Errors in the C itself are told at the user's line. */
#define N 10

#pragma dvm array distribute[block]
double A[N];

int main(void) {
#pragma dvm parallel([i] on A[i])
    for (int i = 0; i < N; i++)
        A[i] = undeclared_thing * i;
    return nowhere;
}

/* expect: 10:16: error: undeclared */
/* expect: 11:12: error: nowhere */
