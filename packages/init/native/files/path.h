/* Opens the host's paths under /workspace without following symlinks. */
#ifndef ISOPOD_PATH_H
#define ISOPOD_PATH_H

/*
 * Opens the parent directory of a relative path and points `leaf` at the path's last part; -1 with errno on failure. Replaces
 * the slashes of the path by NULs. With `make`, creates missing directories, private to the user.
 */
int open_parent(char *path, int make, const char **leaf);

#endif
