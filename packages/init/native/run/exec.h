#ifndef ISOPOD_EXEC_H
#define ISOPOD_EXEC_H

#include <stddef.h>

/* The numbers of an exec frame, and at least a cwd and one argument. */
#define EXEC_HEAD (6u * 4 + 2 * 2 + 4 + 4)
/* The same behind the length of a name. */
#define PRELOAD_HEAD (2u + EXEC_HEAD)

/* Reads an exec frame in place, which must have room for one byte more, and starts it unless `refused` is an errno. */
void exec_frame(unsigned char *payload, size_t length, int refused);
/* The same for a preload frame: the name of the main file, then what an exec frame has. */
void preload_frame(unsigned char *payload, size_t length, int refused);

#endif
