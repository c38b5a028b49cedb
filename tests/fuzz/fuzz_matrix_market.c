/* Fuzzing of the Matrix Market reader of examples/gsai. Whatever the bytes are: reading ends, a refusal has a message, and a matrix is one that
 * gsai_build would take. As a libFuzzer target by default; with -DFUZZ_STANDALONE a program of its own that makes its inputs from a printed
 * seed (CHECK_SEED) for some seconds (FUZZ_SECONDS, default 2), which is what `make check` runs. */
#include <stddef.h>
#include <time.h>

#include "examples/gsai/gsai_read.h"
#include "examples/gsai/gsai_sparse.h"

#include "tests/check.h"

/* So that a size line alone is no reason for much memory. */
enum { ORDER_MAX = 5000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what) {
    if (condition)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}
#define REQUIRE(condition) require(condition, #condition)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const gsai_read_options_t options = {.drops_zeros = size % 2 == 0, .order_max = ORDER_MAX};
    char *const text = malloc(size + 1); /* of just this size, so that reading beyond it is noticed */
    gsai_sparse_t matrix = {0};
    gsai_read_facts_t facts = {0};
    gsai_fault_t fault = {""};

    REQUIRE(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    const gsai_status_t status = gsai_read_text(text, size, "input", &options, &matrix, &facts, &fault);
    free(text);
    if (status == GSAI_OK) {
        REQUIRE(matrix.n >= 1 && matrix.n <= ORDER_MAX);
        REQUIRE(gsai_sparse_check(&matrix, &fault) == GSAI_OK);
        for (int32_t k = 0; k < matrix.n; k++)
            for (int64_t at = matrix.start[k] + 1; at < matrix.start[k + 1]; at++)
                REQUIRE(matrix.index[at - 1] < matrix.index[at]);
        gsai_sparse_free(&matrix);
    } else {
        REQUIRE(status == GSAI_ERR_INPUT && strncmp(fault.text, "input:", 6) == 0);
        REQUIRE(matrix.start == NULL);
    }
    return 0;
}

#ifdef FUZZ_STANDALONE

#define INPUT_MAX 2000

static const char *const good[] =
    {"%%MatrixMarket matrix coordinate real general\n% c\n3 3 4\n1 1 1.5\n2 2 -2e-3\n3 3 1d0\n3 1 4\n",
     "%%matrixmarket MATRIX coordinate integer symmetric\r\n\r\n2 2 3\r\n1 1 7\r\n2 1 0\r\n2 2 -1\r\n",
     "%%MatrixMarket matrix coordinate pattern general\n4 4 5\n1 2\n2 3\n3 4\n4 1\n4 1\n",
     "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 5\n3 1 .5\n%\n\n",
     "%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n1 1 2\n"};

static const char *const pieces[] =
    {"%",       "\n", "\r",      " ",   "1",       "9",       "0",
     "-",       ".",  "e9",      "nan", "pattern", "general", "99999999999999999999",
     "1 1 1\n", "\t", "complex", "+",   "%%"};

static void change(char *text, size_t *length) {
    const size_t at = (size_t)check_random_range(0, (int64_t)*length);

    switch (check_random_range(0, 3)) {
    case 0: { /* insert a piece */
        const char *const piece = pieces[check_random_range(0, sizeof pieces / sizeof pieces[0] - 1)];
        const size_t more = strlen(piece);

        if (*length + more <= INPUT_MAX) {
            memmove(text + at + more, text + at, *length - at);
            memcpy(text + at, piece, more);
            *length += more;
        }
        break;
    }
    case 1: /* any byte */
        if (at < *length)
            text[at] = (char)check_random_range(0, 255);
        break;
    case 2: { /* take some away */
        const size_t less = (size_t)check_random_range(0, 8);

        if (at + less <= *length) {
            memmove(text + at, text + at + less, *length - at - less);
            *length -= less;
        }
        break;
    }
    default: /* end here */
        if (check_random_once_in(4))
            *length = at;
    }
}

int main(void) {
    const char *const seconds = getenv("FUZZ_SECONDS");
    const time_t end = time(NULL) + (seconds != NULL ? atoi(seconds) : 2);
    static char text[INPUT_MAX];
    long inputs = 0;

    check_random_start();
    do {
        for (int round = 0; round < 1000; round++, inputs++) {
            const char *const from = good[check_random_range(0, sizeof good / sizeof good[0] - 1)];
            size_t length = strlen(from);

            memcpy(text, from, length);
            for (int64_t changes = check_random_range(0, 6); changes > 0; changes--)
                change(text, &length);
            LLVMFuzzerTestOneInput((const uint8_t *)text, length);
        }
    } while (time(NULL) < end);
    printf("%ld inputs\n", inputs);
    return check_finish();
}
#endif
