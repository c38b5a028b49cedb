/* remote_access of an element that is not there. */
#pragma dvm array distribute[block]
double A[10];

int main(void) {
    int k = 10;
    double x;
#pragma dvm remote_access(A[k])
    x = A[k];
    return x > 0;
}

/* fails: axis 1: index 10; allowed: 0..9 [fail-remote-access-index.c:8] */
