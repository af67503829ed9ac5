/* Paths that the host names under /workspace, walked without following any symlink. */
#ifndef ISOPOD_PATH_H
#define ISOPOD_PATH_H

/*
 * Opens the directory that holds the last part of a relative path and points `leaf` at that part; -1 with errno
 * otherwise. Cuts the path at its slashes. With `make`, missing directories are made, private to the user.
 */
int open_parent(char *path, int make, const char **leaf);

#endif
