/* Opens the host's paths under /workspace without following symlinks. */
#ifndef ISOPOD_PATH_H
#define ISOPOD_PATH_H

/*
 * Opens the directory of the last part of a relative path and points `leaf` at that part; -1 with errno on failure. Replaces
 * the slashes of the path by NULs. With `make`, creates missing directories, private to the user.
 */
int open_parent(char *path, int make, const char **leaf);

#endif
