#ifndef ISOPOD_OPEN_AHEAD_H
#define ISOPOD_OPEN_AHEAD_H

/*
 * Opens files of the image once, so that the kernel has looked up their names before a program does: each container has a
 * root of its own, in which every first look-up is slow. Ends with the first NULL. Files that cannot be opened do not matter.
 */
void open_ahead(char *const *paths);

#endif
