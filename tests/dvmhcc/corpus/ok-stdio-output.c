/* Output of all kinds to the standard output. */
#include <stdarg.h>
#include <stdio.h>

#define N 6

#pragma dvm array distribute[*]
double A[N];

static void tell(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

int main(void) {
    char text[40];
    int written;
    for (int i = 0; i < N; i++)
        A[i] = i / 4.0;
    written = printf("%5.2f|%-6d|%s|%c|%%\n", A[3], 42, "text", 'x');
    fprintf(stdout, "%d characters\n", written);
    puts("a line");
    putchar('a');
    putc('b', stdout);
    fputc('\n', stdout);
    fputs("another line\n", stdout);
    snprintf(text, sizeof text, "%g and %g", A[1], A[2]);
    tell("%s; %d\n", text, N);
    fwrite(text, 1, 4, stdout);
    putchar('\n');
    if (fflush(stdout) != 0 || ferror(stdout))
        return 1;
    return 0;
}
