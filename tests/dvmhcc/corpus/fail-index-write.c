/* An element that is not there is written. */
#pragma dvm array distribute[block]
int Sizes[10];

int main(void) {
    int i = -1;
    for (int k = 0; k < 10; k++)
        Sizes[k] = k;
    Sizes[i] = 3;
    return 0;
}

/* fails: element Sizes[-1] is outside of the array; allowed: [0..9] [fail-index-write.c:9] */
