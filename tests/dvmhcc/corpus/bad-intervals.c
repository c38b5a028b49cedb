/* Intervals without the numbers that they need. */
int main(void) {
    int step = 2;
#pragma dvm interval step +
#pragma dvm endinterval step
#pragma dvm exitinterval
    return step - 2;
}

/* expect: 4:28: error: expected an operand, got the end of the directive */
/* expect: 5:25: error: expected the end of the directive, got 'step' */
/* expect: 6:25: error: expected the number of an interval, got the end of the directive */
