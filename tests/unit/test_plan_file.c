/* Files of costs: what is written comes back exactly, whatever the numbers and names; files that are cut off, changed or none of
 * ours are refused with file and line; nothing leaks and no old file is lost when something fails. The planner is played by this
 * file, so that its answers are known. */
#include <config.h>

#include "rts/plan_file.h"

#include "rts/memory.h"

#include "tests/check.h"

#include <locale.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the planner's part ---- */

#define SITES 40
#define PLANS 3

typedef struct fake_site {
    rts_site_summary_t summary;
    rts_loop_facts_t facts;
    rts_array_facts_t array;
    uint64_t key;
    rts_plan_t plan[RTS_MAX_OPTIONS][PLANS];
    rts_option_t *option[RTS_MAX_OPTIONS];
    char forms[RTS_MAX_OPTIONS][512];
    char plans[RTS_MAX_OPTIONS][PLANS][64];
} fake_site_t;

static fake_site_t site[SITES];
static int site_count;
static double rate = 1;

void rts_planner_visit(void (*visit)(void *context, const rts_site_summary_t *summary), void *context) {
    for (int i = 0; i < site_count; i++)
        visit(context, &site[i].summary);
}

uint64_t rts_planner_loop_key(const rts_site_summary_t *summary) {
    return ((const fake_site_t *)summary)->key; /* the summary is its first member */
}

double rts_planner_reorganise_rate(void) {
    return rate;
}

const char *rts_option_name(const rts_option_t *option, int array_count, char *text, size_t text_size) {
    text[0] = '\0';
    for (int i = 0; i < site_count && array_count > 0; i++)
        for (int k = 0; k < RTS_MAX_OPTIONS; k++)
            if (site[i].option[k] == option)
                snprintf(text, text_size, "%s", site[i].forms[k]);
    return text;
}

const char *rts_plan_name(const rts_plan_t *plan, int rank, char *text, size_t text_size) {
    const fake_site_t *of = &site[plan->split_dim];
    const ptrdiff_t place = plan - &of->plan[0][0];
    CHECK_EQ_INT(rank, of->facts.rank);
    snprintf(text, text_size, "%s", of->plans[place / PLANS][place % PLANS]);
    return text;
}

/* ---- making sites ---- */

static rts_option_t options[SITES * RTS_MAX_OPTIONS]; /* only their addresses count */

/* Printable, without quotes; as long as the field holds in one of four cases. */
static void make_name(char *name, size_t size) {
    const int64_t length = check_random_range(0, (int64_t)size - 1);
    const size_t used = check_random_once_in(4) ? size - 1 : (size_t)length;
    for (size_t i = 0; i < used; i++)
        do
            name[i] = (char)check_random_range(' ', '~');
        while (name[i] == '"');
    name[used] = '\0';
}

static double make_seconds(void) {
    double seconds;
    do {
        const uint64_t bits = check_random_u64() & ~(UINT64_C(1) << 63);
        memcpy(&seconds, &bits, sizeof seconds);
    } while (!isfinite(seconds));
    return check_random_once_in(10)  ? 0
           : check_random_once_in(2) ? (double)check_random_range(1, 99) * 1e-7
                                     : seconds;
}

static void make_site(int number) {
    static const char *const files[] = {NULL, "sor.c", "a b\n\"c\"#/d\x01.c", ""};
    fake_site_t *s = &site[number];
    memset(s, 0, sizeof *s);
    s->key = check_random_once_in(8) ? (uint64_t)check_random_range(0, 1) - 1 : check_random_u64();
    s->facts.rank = (int)check_random_range(0, RTS_MAX_RANK);
    for (int dim = 0; dim < s->facts.rank; dim++)
        s->facts.count[dim] = check_random_range(1, INT64_C(1) << 40);
    s->facts.arrays = check_random_once_in(4) ? NULL : &s->array;
    s->facts.array_count = 1;
    s->summary.facts = &s->facts;
    s->summary.position =
        (rts_position_t){files[check_random_range(0, 3)], (int)check_random_range(0, 1 << 30)};
    s->summary.option_count = (int)check_random_range(0, RTS_MAX_OPTIONS);
    s->summary.chosen = (int)check_random_range(0, RTS_MAX_OPTIONS - 1);
    s->summary.chosen_plan = (int)check_random_range(0, PLANS - 1);
    for (int i = 0; i < s->summary.option_count; i++) {
        s->option[i] = &options[number * RTS_MAX_OPTIONS + i];
        s->summary.option[i] = s->option[i];
        s->summary.plan_count[i] = (int)check_random_range(0, PLANS);
        s->summary.plan[i] = s->plan[i];
        make_name(s->forms[i], sizeof s->forms[i]);
        for (int k = 0; k < PLANS; k++) {
            make_name(s->plans[i][k], sizeof s->plans[i][k]);
            s->plan[i][k].measured_s = check_random_once_in(3) ? -1 : make_seconds();
            s->plan[i][k].split_dim = number;
            s->plan[i][k].executions = (int)check_random_range(0, 100);
        }
    }
}

/* ---- files ---- */

static char name[] = "test_plan_file.XXXXXX";
static char text[1 << 20];

static size_t read_text(void) {
    FILE *file = fopen(name, "r");
    const size_t length = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file != NULL)
        fclose(file);
    text[length] = '\0';
    return length;
}

static void write_text(const char *bytes, size_t length) {
    FILE *file = fopen(name, "w");
    if (file == NULL || fwrite(bytes, 1, length, file) != length || fclose(file) != 0) {
        perror(name);
        exit(1);
    }
}

/* Read; what comes is either sound or an error of the right kind, and no memory is lost. */
static rts_status_t read_checked(rts_plan_file_t *file_p) {
    const int64_t live = rts_memory_live();
    rts_plan_file_t file = {.count = 77}, untouched = file;
    const rts_status_t status = rts_plan_file_read(name, &file);
    if (status == RTS_OK) {
        CHECK(isfinite(file.reorganise_rate) && file.reorganise_rate > 0);
        for (size_t i = 0; i < file.count; i++) {
            CHECK(isfinite(file.cost[i].seconds) && file.cost[i].seconds >= 0);
            CHECK(memchr(file.cost[i].forms, '\0', sizeof file.cost[i].forms) != NULL);
            CHECK(memchr(file.cost[i].plan, '\0', sizeof file.cost[i].plan) != NULL);
        }
    } else {
        CHECK_EQ_INT(status, RTS_ERR_INVALID);
        CHECK_EQ_INT(rts_memory_live(), live);
        CHECK(memcmp(&file, &untouched, sizeof file) == 0);
        CHECK_CONTAINS(rts_error_text(), name);
        CHECK_CONTAINS(rts_error_text(), "', line ");
        CHECK_CONTAINS(rts_error_text(), "; expected: ");
        for (const char *c = rts_error_text(); *c != '\0'; c++)
            CHECK((unsigned char)*c >= ' ' && *c != '\x7f');
    }
    if (file_p != NULL)
        *file_p = file;
    else if (status == RTS_OK)
        rts_free(file.cost);
    return status;
}

/* ---- the tests ---- */

static void check_round_trip(void) {
    rts_plan_file_t file;
    size_t place = 0;
    CHECK_EQ_INT(rts_plan_file_write(name), RTS_OK);
    if (!CHECK_EQ_INT(read_checked(&file), RTS_OK)) {
        fprintf(stderr, "  %s\n", rts_error_text());
        return;
    }
    CHECK(memcmp(&file.reorganise_rate, &rate, sizeof rate) == 0);
    for (int i = 0; i < site_count; i++)
        for (int k = 0; k < site[i].summary.option_count; k++)
            for (int j = 0; j < site[i].summary.plan_count[k]; j++) {
                if (site[i].plan[k][j].measured_s < 0)
                    continue;
                if (!CHECK(place < file.count))
                    continue;
                const rts_saved_cost_t *cost = &file.cost[place++];
                CHECK(cost->loop == site[i].key);
                CHECK(memcmp(&cost->seconds, &site[i].plan[k][j].measured_s, sizeof cost->seconds) == 0);
                CHECK_EQ_STR(cost->forms, site[i].facts.arrays != NULL ? site[i].forms[k] : "");
                CHECK_EQ_STR(cost->plan, site[i].plans[k][j]);
                CHECK(cost->is_kept == (k == site[i].summary.chosen && j == site[i].summary.chosen_plan));
            }
    CHECK_EQ_INT(file.count, place);
    rts_free(file.cost);
}

static void test_round_trip(void) {
    for (int round = 0; round < 150; round++) {
        site_count = (int)check_random_range(0, round % 10 == 0 ? SITES : 3);
        rate = make_seconds() + 1e-300;
        for (int i = 0; i < site_count; i++)
            make_site(i);
        check_round_trip();
    }
    /* The same where the program's numbers have a decimal comma; there may be no such locale here. */
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ru_RU.UTF-8", "de_DE"};
    for (size_t i = 0; i < sizeof locales / sizeof locales[0]; i++)
        if (setlocale(LC_ALL, locales[i]) != NULL) {
            char number[8];
            check_round_trip();
            snprintf(number, sizeof number, "%.1f", 0.5);
            CHECK_EQ_STR(number, "0,5"); /* given back as it was */
            printf("with numbers of %s\n", locales[i]);
            break;
        }
    setlocale(LC_ALL, "C");
}

/* A file that lost its end is always noticed; so is one that lost any one line. */
static void test_cut(void) {
    static char whole[1 << 16];
    site_count = 3;
    rate = 1.5e10;
    size_t length;
    do {
        for (int i = 0; i < site_count; i++)
            make_site(i);
        CHECK_EQ_INT(rts_plan_file_write(name), RTS_OK);
        length = read_text();
    } while (length < 1000 || length >= sizeof whole);
    memcpy(whole, text, length);
    for (size_t cut = 0; cut < length; cut++) {
        write_text(whole, cut);
        if (!CHECK_EQ_INT(read_checked(NULL), RTS_ERR_INVALID))
            fprintf(stderr, "  cut at %zu of %zu\n", cut, length);
    }
    for (size_t begin = 0; begin < length;) {
        const size_t end = begin + strcspn(whole + begin, "\n") + 1;
        memcpy(text, whole, begin);
        memcpy(text + begin, whole + end, length - end);
        write_text(text, length - (end - begin));
        CHECK_EQ_INT(read_checked(NULL), RTS_ERR_INVALID);
        begin = end;
    }
}

/* Changed here and there, and bytes that were never a file of costs. */
static void test_noise(void) {
    static const char *const pieces[] = {"cost ",
                                         "end ",
                                         "rate ",
                                         "\"",
                                         "dvmh-rts costs 1\n",
                                         "\n",
                                         "#",
                                         "1e999",
                                         "nan",
                                         "-1",
                                         "0123456789abcdef",
                                         "\t",
                                         " ",
                                         "inf",
                                         "0x1p-3",
                                         "1.5",
                                         "\"\" \"\"",
                                         "end 0\n",
                                         "18446744073709551616",
                                         ".",
                                         "e5"};
    static char whole[1 << 16], changed[1 << 17];
    site_count = 2;
    int64_t good = 0;
    for (int round = 0; round < 3000; round++) {
        size_t length = 0;
        if (round % 3 == 0) {
            for (int i = 0; i < site_count; i++)
                make_site(i);
            CHECK_EQ_INT(rts_plan_file_write(name), RTS_OK);
            length = read_text();
            memcpy(whole, text, length);
            memcpy(changed, whole, length);
            for (int64_t k = check_random_range(1, 3); k > 0; k--)
                changed[check_random_range(0, (int64_t)length - 1)] = (char)check_random_u64();
        } else if (round % 3 == 1) {
            for (int64_t k = check_random_range(0, 200); k > 0; k--)
                changed[length++] = (char)check_random_u64();
        } else {
            length = (size_t)sprintf(changed, "dvmh-rts costs 1\nrate 1\n");
            for (int64_t k = check_random_range(0, 12); k > 0; k--)
                length += (size_t)
                    sprintf(changed + length, "%s",
                            pieces[check_random_range(0, (int64_t)(sizeof pieces / sizeof pieces[0]) - 1)]);
        }
        write_text(changed, length);
        good += read_checked(NULL) == RTS_OK;
    }
    printf("%" PRId64 " of the changed files are still whole\n", good);
}

#define HEAD "dvmh-rts costs 1\nrate 1e9\n"
#define KEY  "0123456789abcdef"

static void test_messages(void) {
    static char long_name[600], long_line[3000], with_long[4000];
    memset(long_name, 'x', 512);
    memset(long_line, ' ', sizeof long_line - 1);
    static const struct {
        const char *content, *where, *found, *expected;
    } cases[] = {
        {"", "line 1", "'end of file'", "dvmh-rts costs 1"},
        {"\n", "line 1", "''", "dvmh-rts costs 1"},
        {"dvmh-rts costs 2\n", "line 1", "'dvmh-rts costs 2'", "dvmh-rts costs 1"},
        {"dvmh-rts costs 1", "line 1", "'dvmh-rts costs 1'", "cut off"},
        {"dvmh-rts costs 1\nend 0\n", "line 2", "'end 0'", "rate"},
        {"dvmh-rts costs 1\nrate 0\n", "line 2", "'rate 0'", "rate"},
        {"dvmh-rts costs 1\nrate nan\n", "line 2", "'rate nan'", "rate"},
        {HEAD, "line 3", "'end of file'", "cost, kept or end"},
        {HEAD "costs\n", "line 3", "'costs'", "cost, kept or end"},
        {HEAD "\n# empty\ncost 12 1 \"\" \"\"\n", "line 5", "'12 1 \"\" \"\"'", "16 hexadecimal digits"},
        {HEAD "cost " KEY "0 1 \"\" \"\"\n", "line 3", "'" KEY "0 1", "16 hexadecimal digits"},
        {HEAD "cost " KEY " -1 \"\" \"\"\n", "line 3", "'-1 \"\"", "seconds"},
        {HEAD "cost " KEY " 1e999 \"\" \"\"\n", "line 3", "'1e999 ", "seconds"},
        {HEAD "cost " KEY " 0x10 \"\" \"\"\n", "line 3", "'0x10 ", "seconds"},
        {HEAD "cost " KEY " 1 plain \"\"\n", "line 3", "'plain ", "names of layouts"},
        {HEAD "cost " KEY " 1 \"plain\n", "line 3", "'\"plain'", "names of layouts"},
        {HEAD "cost " KEY " 1 \"plain\"\n", "line 3", "''", "name of a plan"},
        {HEAD "kept " KEY " 1 \"plain\"\n", "line 3", "''", "name of a plan"},
        {HEAD "cost " KEY " 1 \"a\tb\" \"\"\n", "line 3", "'\"a?b\"", "names of layouts"},
        {HEAD "cost " KEY " 1 \"\" \"\" more\n", "line 3", "'more'", "comment"},
        {HEAD "cost " KEY " 1 \"\" \"\"\nend 2\n", "line 4", "'2'", "number of lines"},
        {HEAD "end 0\nend 0\n", "line 4", "'more text'", "end of the file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_text(cases[i].content, strlen(cases[i].content));
        CHECK_EQ_INT(read_checked(NULL), RTS_ERR_INVALID);
        CHECK_CONTAINS(rts_error_text(), cases[i].where);
        CHECK_CONTAINS(rts_error_text(), cases[i].found);
        CHECK_CONTAINS(strstr(rts_error_text(), "; expected: "), cases[i].expected);
    }
    for (int spare = -1; spare <= 1; spare++) { /* the longest names that a cost holds, and longer ones */
        sprintf(with_long, HEAD "cost " KEY " 1 \"%.*s\" \"%.*s\"\nend 1\n", 511 + spare, long_name, 63,
                long_name);
        write_text(with_long, strlen(with_long));
        CHECK_EQ_INT(read_checked(NULL), spare > 0 ? RTS_ERR_INVALID : RTS_OK);
        sprintf(with_long, HEAD "cost " KEY " 1 \"%.*s\" \"%.*s\"\nend 1\n", 511, long_name, 63 + spare,
                long_name);
        write_text(with_long, strlen(with_long));
        CHECK_EQ_INT(read_checked(NULL), spare > 0 ? RTS_ERR_INVALID : RTS_OK);
    }
    for (int length = 2040; length < 2900;
         length += length < 2060 ? 1 : 100) { /* of blanks; 2046 are allowed */
        sprintf(with_long, HEAD "%.*s\nend 0\n", length, long_line);
        write_text(with_long, strlen(with_long));
        CHECK_EQ_INT(read_checked(NULL), length <= 2046 ? RTS_OK : RTS_ERR_INVALID);
        if (length > 2046)
            CHECK_CONTAINS(rts_error_text(), "line 3: '   ");
    }
    write_text(HEAD "\0\nend 0\n", sizeof HEAD "\0\nend 0\n" - 1);
    CHECK_EQ_INT(read_checked(NULL), RTS_ERR_INVALID);
    CHECK_CONTAINS(rts_error_text(), "byte of value 0");
}

static void test_no_memory(void) {
    const int64_t live = rts_memory_live();
    site_count = SITES;
    for (int i = 0; i < site_count; i++)
        make_site(i);
    CHECK_EQ_INT(rts_plan_file_write(name), RTS_OK);
    int failed = 0;
    for (int n = 1; n < 100; n++) {
        rts_plan_file_t file;
        rts_memory_fail_at(n);
        const rts_status_t status = rts_plan_file_read(name, &file);
        rts_memory_fail_at(0);
        if (status == RTS_OK) {
            rts_free(file.cost);
            break;
        }
        failed++;
        CHECK_EQ_INT(status, RTS_ERR_NO_MEMORY);
        CHECK_EQ_INT(rts_memory_live(), live);
    }
    CHECK(failed >= 2); /* the list has grown */
    rts_memory_fail_at(1);
    CHECK_EQ_INT(rts_plan_file_write(name), RTS_ERR_NO_MEMORY);
    rts_memory_fail_at(0);
    check_round_trip(); /* the old file is as it was, and a new one can be written */
}

/* A file that cannot be written leaves the older one alone, and nothing beside it. */
static void test_lost_writes(void) {
    char beside[sizeof name + 4];
    const struct rlimit small = {1000, RLIM_INFINITY};
    struct rlimit before;
    snprintf(beside, sizeof beside, "%s.tmp", name);
    write_text("old", 3);
    CHECK_EQ_INT(mkdir(beside, 0777), 0);
    CHECK_EQ_INT(rts_plan_file_write(name), RTS_ERR_IO);
    CHECK_CONTAINS(rts_error_text(), "cannot be created: Is a directory");
    CHECK_EQ_INT(rmdir(beside), 0);

    signal(SIGXFSZ, SIG_IGN);
    CHECK_EQ_INT(getrlimit(RLIMIT_FSIZE, &before), 0);
    CHECK_EQ_INT(setrlimit(RLIMIT_FSIZE, &small), 0);
    const rts_status_t status = rts_plan_file_write(name); /* as on a full disk */
    CHECK_EQ_INT(setrlimit(RLIMIT_FSIZE, &before), 0);
    CHECK_EQ_INT(status, RTS_ERR_IO);
    CHECK_CONTAINS(rts_error_text(), "cannot be written: File too large");
    CHECK(access(beside, F_OK) != 0);
    read_text();
    CHECK_EQ_STR(text, "old");

    rts_plan_file_t file;
    CHECK_EQ_INT(rts_plan_file_read("no-such-folder/costs", &file), RTS_ERR_IO);
    CHECK_CONTAINS(rts_error_text(), "'no-such-folder/costs' cannot be read: No such file");
    CHECK_EQ_INT(rts_plan_file_read(".", &file), RTS_ERR_IO);
}

/* What cannot be written is known before, and looking creates nothing. */
static void test_check(void) {
    char folder[] = "test_plan_file_XXXXXX", inside[sizeof folder + 8];
    if (!CHECK(mkdtemp(folder) != NULL))
        return;
    snprintf(inside, sizeof inside, "%s/costs", folder);
    CHECK_EQ_INT(rts_plan_file_check(inside), RTS_OK);
    CHECK(access(inside, F_OK) != 0);
    CHECK_EQ_INT(rts_plan_file_check("costs"), RTS_OK);
    CHECK_EQ_INT(rts_plan_file_check("/costs"), access("/", W_OK) == 0 ? RTS_OK : RTS_ERR_IO);
    CHECK_EQ_INT(rts_plan_file_check(folder), RTS_ERR_IO);
    CHECK_CONTAINS(rts_error_text(), "cannot be created: Is a directory");
    CHECK_EQ_INT(rts_plan_file_check("no-such-folder/costs"), RTS_ERR_IO);
    CHECK_CONTAINS(rts_error_text(), "'no-such-folder/costs' cannot be created in the folder "
                                     "'no-such-folder': No such file");
    CHECK_EQ_INT(rmdir(folder), 0);
    CHECK_EQ_INT(rts_plan_file_check(inside), RTS_ERR_IO);
    CHECK_CONTAINS(rts_error_text(), folder);
    const int64_t live = rts_memory_live();
    rts_memory_fail_at(1);
    CHECK_EQ_INT(rts_plan_file_check("costs"), RTS_ERR_NO_MEMORY);
    rts_memory_fail_at(0);
    CHECK_EQ_INT(rts_memory_live(), live);
}

int main(void) {
    const int descriptor = mkstemp(name);
    if (descriptor < 0)
        check_skip("no temporary file");
    close(descriptor);
    check_random_start();
    test_round_trip();
    test_cut();
    test_noise();
    test_messages();
    test_no_memory();
    test_lost_writes();
    test_check();
    unlink(name);
    return check_finish();
}
