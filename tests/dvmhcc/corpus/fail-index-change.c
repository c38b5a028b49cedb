/* An element that is not there is changed by what it is. */
#pragma dvm array distribute[block]
int A[10];

int main(void) {
    int i = 10;
    return A[i]++;
}

/* fails: element A[10] is outside of the array; allowed: [0..9] [fail-index-change.c:7] */
