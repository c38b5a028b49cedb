/* The text of a graph file, word by word, with the number of the line for messages. */
#ifndef BFS_TEXT_H
#define BFS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A text and where reading it is. Words end with white space; no word goes over the end of a line. */
typedef struct bfs_text {
    const char *path;
    char *begin;
    const char *at, *end;
    int64_t line; /* of `at`, from 1 */
} bfs_text_t;

/** Read the whole of a file. One that cannot be read ends the program with a message. */
void bfs_text_open(const char *path, bfs_text_t *text_p);
void bfs_text_close(bfs_text_t *text);

/** End the program: path, line, the word or end of line that stands at `at`, and what is allowed there. */
_Noreturn void bfs_text_refuse(const bfs_text_t *text, const char *allowed);

/** Skip blanks of the line. @return whether there is another word in it */
bool bfs_text_has_word(bfs_text_t *text);

/** Go to the next line. @return false after the last one */
bool bfs_text_next_line(bfs_text_t *text);

/** Go to the next line, this one included, that has a word and does not begin with a comment sign: one of `comments`.
 * @return false: there is none */
bool bfs_text_find_line(bfs_text_t *text, const char *comments);

/** Take a whole number below 2^63 if it comes next. @return whether it did */
bool bfs_text_try_number(bfs_text_t *text, int64_t *value_p);

/** A whole number lowest .. highest. @param what  for the message, with what is allowed */
int64_t bfs_text_number(bfs_text_t *text, int64_t lowest, int64_t highest, const char *what);

/** Skip a word that must be a number of any kind. */
void bfs_text_skip_number(bfs_text_t *text, const char *what);

/** Take the word `word` if it comes next, in upper or lower case. @return whether it did */
bool bfs_text_take(bfs_text_t *text, const char *word);

/** The line must be over. @param allowed  what the line may have */
void bfs_text_end_line(bfs_text_t *text, const char *allowed);

/** Lines with a word, without comments, from `at` on. */
int64_t bfs_text_count_lines(const bfs_text_t *text, const char *comments);

#endif
