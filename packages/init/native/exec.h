#ifndef ISOPOD_EXEC_H
#define ISOPOD_EXEC_H

#include <stddef.h>

/* The numbers of an exec frame, and at least a cwd and one argument. */
#define EXEC_HEAD (6u * 4 + 2 * 2 + 4 + 4)

/* Reads an exec frame in place, which must have room for one byte more, and starts it unless `refused` is an errno. */
void exec_frame(unsigned char *payload, size_t length, int refused);

#endif
