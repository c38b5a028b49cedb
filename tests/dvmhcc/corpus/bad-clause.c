/* Clauses that do not exist; all of them are told, and what is right beside them counts. */
#define N 10

#pragma dvm array distribute[block] shadw[1:1]
double A[N];

int main(void) {
    double x;
#pragma dvm region in(A) private(x)
    {
#pragma dvm parallel([i] on A[i]) privat(x) foo
        for (int i = 0; i < N; i++) {
            x = i;
            A[i] = x;
        }
    }
    return 0;
}

/* expect: 4:37: error: unknown clause 'shadw' of 'array'; did you mean 'shadow'? */
/* expect: 9:26: error: unknown clause 'private' of 'region' */
/* expect: 11:35: error: unknown clause 'privat' of 'parallel'; did you mean 'private'? */
/* expect: 11:45: error: unknown clause 'foo' */
