#ifndef ISOPOD_INSTALL_H
#define ISOPOD_INSTALL_H

#include <sys/types.h>

/* To be run by Linux a file need not be read. */
#define EXECUTABLE 0111
/* gVisor reads, as the container's user, what it is to run. */
#define READABLE 0555

/* Puts a copy of this program at `target`, whole or not at all; the exit code. */
int install_to(const char *target, mode_t mode);

#endif
