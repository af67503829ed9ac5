#ifndef ISOPOD_INSTALL_H
#define ISOPOD_INSTALL_H

#include <sys/types.h>

/* Linux can run a file without read permission. */
#define EXECUTABLE 0111
/* gVisor reads the file it runs, as the container's user. */
#define READABLE 0555

/* Copies this program to `target`, whole or not at all; returns the exit code. */
int install_to(const char *target, mode_t mode);

#endif
