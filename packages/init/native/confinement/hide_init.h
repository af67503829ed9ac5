#ifndef ISOPOD_HIDE_INIT_H
#define ISOPOD_HIDE_INIT_H

/*
 * Called by a child before it becomes the program: sees to it that init cannot be reached through /proc/1. Where the
 * kernel does not, it lays an empty file system over that in namespaces of its own, in which it then has no right either.
 * -1 with errno if that fails.
 */
int hide_init(void);

#endif
