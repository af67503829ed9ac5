#ifndef ISOPOD_CLEAR_DIRECTORY_H
#define ISOPOD_CLEAR_DIRECTORY_H

#include <sys/types.h>

/*
 * Removes all that is below a directory, whatever its depth and modes, follows no symlink, and gives the directory
 * itself its mode back. 0 only if it was seen empty afterwards. No other process may run meanwhile.
 */
int clear_directory(int root, mode_t mode);

#endif
