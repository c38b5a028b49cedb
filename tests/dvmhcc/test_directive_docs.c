/* The examples of docs/language.md: every directive of its C blocks is accepted, and each kind of directive has one. */
#include <config.h>

#include "tests/dvmhcc/directive_text.h"

int main(void) {
    const char *folder = getenv("srcdir");
    char path[1024], line[1024];
    bool seen[DVMHCC_UNSUPPORTED] = {false}, in_c = false;
    snprintf(path, sizeof path, "%s/docs/language.md", folder != NULL ? folder : ".");
    FILE *file = fopen(path, "r");
    if (!CHECK(file != NULL)) {
        fprintf(stderr, "    %s\n", path);
        return check_finish();
    }
    while (fgets(line, sizeof line, file) != NULL) {
        const char *begin = "#pragma dvm ";
        if (strncmp(line, "```", 3) == 0)
            in_c = strcmp(line, "```c\n") == 0;
        if (!in_c || strncmp(line, begin, strlen(begin)) != 0)
            continue;
        parsed_t parsed = parse_text(line + strlen(begin));
        if (!CHECK_EQ_STR(parsed.messages, ""))
            fprintf(stderr, "    %s", line);
        seen[parsed.directive->kind % DVMHCC_UNSUPPORTED] = true;
        forget(&parsed);
    }
    fclose(file);
    for (int kind = DVMHCC_ACTUAL; kind < DVMHCC_UNSUPPORTED; kind++)
        if (!CHECK(seen[kind]))
            fprintf(stderr, "    directive kind %d has no example\n", kind);
    return check_finish();
}
