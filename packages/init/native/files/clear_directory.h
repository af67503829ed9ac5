#ifndef ISOPOD_CLEAR_DIRECTORY_H
#define ISOPOD_CLEAR_DIRECTORY_H

#include <sys/types.h>

/*
 * Removes everything below a directory, whatever its depth and modes, without following symlinks, and restores the
 * directory's own mode. Returns 0 only if the directory is empty afterwards. No other process may run meanwhile.
 */
int clear_directory(int root, mode_t mode);

#endif
