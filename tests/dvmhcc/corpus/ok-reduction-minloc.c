/* minloc, with locations of one and of three elements. */
#include <stdio.h>

#define N 9

#pragma dvm array distribute[block][block][block]
int A[N][N][N];

int main(void) {
    int smallest = 100000;
    long place[3] = {0, 0, 0};
#pragma dvm parallel([i][j][k] on A[i][j][k])
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                A[i][j][k] = (i * 100 + j * 10 + k - 357) * (i * 100 + j * 10 + k - 357);
#pragma dvm parallel([i][j][k] on A[i][j][k]) reduction(minloc(smallest, place, 3))
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++) {
                if (A[i][j][k] < smallest) {
                    smallest = A[i][j][k];
                    place[0] = i;
                    place[1] = j;
                    place[2] = k;
                }
            }
    printf("%d at %ld %ld %ld\n", smallest, place[0], place[1], place[2]);
    return 0;
}
