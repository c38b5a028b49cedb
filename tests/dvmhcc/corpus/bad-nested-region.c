/* A region in a region, and a host section outside of any. */
#define N 10

#pragma dvm array distribute[block]
double A[N];

int main(void) {
    int i;
#pragma dvm region
    {
#pragma dvm region
        {
#pragma dvm parallel([i] on A[i])
            for (i = 0; i < N; i++)
                A[i] = 0;
        }
    }
#pragma dvm host_section
    {
        i = 3;
    }
    return 0;
}

/* expect: 11:13: error: a region inside of a region */
/* expect: 18:13: error: 'host_section' must stand inside of a region */
