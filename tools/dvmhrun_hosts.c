/* The file of machines; see the header. Decides how many processes each gets, not in which way a launcher is told. */
#include <config.h>

#include "tools/dvmhrun.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct host {
    char *name;
    int slots; /* 0: not given */
    int line;
} host_t;

typedef struct hosts {
    host_t *host;
    int count, capacity;
} hosts_t;

static const char blanks[] = " \t\r\n\v\f";

/* @return 0 when it is no whole number 1..DVMHRUN_PROCESSES_MAX */
static int read_slots(const char *text) {
    const size_t length = strspn(text, "0123456789");
    if (length == 0 || length > 7 || text[length] != '\0')
        return 0;
    const int slots = atoi(text);
    return slots <= DVMHRUN_PROCESSES_MAX ? slots : 0;
}

/* One line without its comment: NAME, NAME:SLOTS, NAME slots=SLOTS. @return false when there is nothing on it */
static bool read_line(const char *file, int number, char *line, host_t *host_p) {
    char *rest;
    line[strcspn(line, "#")] = '\0';
    char *const name = strtok_r(line, blanks, &rest);
    if (name == NULL)
        return false;
    char *slots = strtok_r(NULL, blanks, &rest);
    const char *const more = strtok_r(NULL, blanks, &rest);
    char *const colon = strchr(name, ':');
    *host_p = (host_t){.line = number};
    if (slots != NULL && strncmp(slots, "slots=", 6) == 0 && colon == NULL)
        host_p->slots = read_slots(slots + 6);
    else if (slots == NULL && colon != NULL)
        host_p->slots = read_slots(colon + 1);
    if (colon != NULL)
        *colon = '\0';
    const bool is_good = more == NULL && (slots == NULL && colon == NULL ? true : host_p->slots > 0);
    if (!is_good || *name == '\0' || *name == '-' || strpbrk(name, ",=") != NULL)
        dvmhrun_die(
            DVMHRUN_WRONG_USE,
            "%s:%d: that is no machine; allowed: NAME, NAME:SLOTS or NAME slots=SLOTS, with 1..%d slots",
            file, number, DVMHRUN_PROCESSES_MAX);
    host_p->name = dvmhrun_text("%s", name);
    return true;
}

static void add_host(const char *file, hosts_t *hosts, const host_t *host) {
    for (int i = 0; i < hosts->count; i++) {
        if (strcmp(hosts->host[i].name, host->name) == 0)
            dvmhrun_die(DVMHRUN_WRONG_USE, "%s:%d: '%s' stands on line %d already", file, host->line,
                        host->name, hosts->host[i].line);
        if ((hosts->host[i].slots > 0) != (host->slots > 0))
            dvmhrun_die(
                DVMHRUN_WRONG_USE,
                "%s: '%s' on line %d has slots, '%s' has none; allowed: slots for all machines, or for none",
                file, host->slots > 0 ? host->name : hosts->host[i].name,
                host->slots > 0 ? host->line : hosts->host[i].line,
                host->slots > 0 ? hosts->host[i].name : host->name);
    }
    if (hosts->count == hosts->capacity) {
        hosts->capacity = 2 * hosts->capacity + 16;
        host_t *const grown = dvmhrun_allocate((size_t)hosts->capacity * sizeof *grown);
        if (hosts->count > 0)
            memcpy(grown, hosts->host, (size_t)hosts->count * sizeof *grown);
        hosts->host = grown;
    }
    hosts->host[hosts->count++] = *host;
}

static hosts_t read_file(const char *file) {
    hosts_t hosts = {0};
    host_t host;
    char *line = NULL;
    size_t size = 0;
    FILE *const stream = fopen(file, "r");
    if (stream == NULL)
        dvmhrun_die(DVMHRUN_WRONG_USE, "the file of machines '%s' cannot be read: %s", file, strerror(errno));
    for (int number = 1; getline(&line, &size, stream) >= 0; number++)
        if (read_line(file, number, line, &host))
            add_host(file, &hosts, &host);
    if (ferror(stream))
        dvmhrun_die(DVMHRUN_WRONG_USE, "the file of machines '%s' cannot be read: %s", file, strerror(errno));
    free(line);
    fclose(stream);
    if (hosts.count == 0)
        dvmhrun_die(DVMHRUN_WRONG_USE, "the file of machines '%s' names none", file);
    return hosts;
}

/* Processes of a host, which may be 0. @param left  processes that earlier ones have not got */
static int share(const hosts_t *hosts, int index, int process_count, int left) {
    const int slots = hosts->host[index].slots;
    if (slots > 0)
        return slots < left ? slots : left;
    return process_count / hosts->count + (index < process_count % hosts->count);
}

char *dvmhrun_read_hosts(const char *file, int process_count, int *host_count_p) {
    const hosts_t hosts = read_file(file);
    dvmhrun_words_t words = {0};
    size_t size = 1;
    int left = process_count;
    for (int i = 0; i < hosts.count; i++) {
        const int processes = share(&hosts, i, process_count, left);
        if (processes == 0)
            continue;
        dvmhrun_add(&words, "%s%s:%d", words.count > 0 ? "," : "", hosts.host[i].name, processes);
        size += strlen(words.word[words.count - 1]);
        left -= processes;
    }
    if (left > 0)
        dvmhrun_die(DVMHRUN_WRONG_USE, "%d processes; allowed by the slots of %s: at most %d", process_count,
                    file, process_count - left);
    char *const text = dvmhrun_allocate(size), *end = text;
    *end = '\0';
    for (int i = 0; i < words.count; i++)
        end = stpcpy(end, words.word[i]);
    *host_count_p = words.count;
    return text;
}
