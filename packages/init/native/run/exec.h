#ifndef ISOPOD_EXEC_H
#define ISOPOD_EXEC_H

#include <stddef.h>

/* Smallest exec frame: its numbers and counts, a cwd and one argument. */
#define EXEC_HEAD (5u * 4 + 3 * 2 + 4 + 4)
/* Smallest preload frame: the length of a name, then the same. */
#define PRELOAD_HEAD (2u + EXEC_HEAD)

/* Parses an exec frame in place, in a buffer with room for one byte more, and starts it unless `refused` is an errno. */
void exec_frame(unsigned char *payload, size_t length, int refused);
/* The same for a preload frame: the name of the main file, then an exec frame. */
void preload_frame(unsigned char *payload, size_t length, int refused);

#endif
