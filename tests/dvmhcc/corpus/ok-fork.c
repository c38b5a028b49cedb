/* A process that the program forks ends by exit() alone: neither the run-time system nor other processes are concerned. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define N 10
#pragma dvm array distribute[block]
int A[N];

int main(void) {
    int s = 0, state = 0;
    const pid_t child = fork();
    if (child == 0)
        exit(5);
    if (child < 0 || waitpid(child, &state, 0) != child)
        return 2;
#pragma dvm parallel([i] on A[i]) reduction(sum(s))
    for (int i = 0; i < N; i++) {
        A[i] = i;
        s += A[i];
    }
    printf("%d %d\n", s, WEXITSTATUS(state));
    return 0;
}
