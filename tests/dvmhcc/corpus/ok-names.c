/* Names that a generator of code may want for itself, names that hide others, names of the standard library. */
#include <stdio.h>

#define N 10

#pragma dvm array distribute[block]
int record[N];
#pragma dvm array distribute[block]
int header[N];

static int loop_1 = 3, context = 4, handler, region = 2;

static int base(int record) { return record + 1; }

int main(void) {
    int stride = 0, dvmh_line = 7, c = 1, argc = 5;
    char *argv = "words";
#pragma dvm region
    {
#pragma dvm parallel([index] on record[index])
        for (int index = 0; index < N; index++) {
            int loop = index, header = loop_1 * loop;
            record[index] = header + context + base(c) + dvmh_line;
        }
#pragma dvm parallel([i] on header[i])
        for (int i = 0; i < N; i++)
            header[i] = region * i + argc;
#pragma dvm parallel([record0] on record[record0]) reduction(sum(stride), max(handler))
        for (int record0 = 0; record0 < N; record0++) {
            stride += record[record0] * header[record0];
            handler = record[record0] > handler ? record[record0] : handler;
        }
    }
#pragma dvm get_actual(stride, handler)
    {
        int record[2] = {stride, handler};
        int A = record[0];
        printf("%d %d %s\n", A, record[1], argv);
    }
    return 0;
}
