#ifndef ISOPOD_HIDE_INIT_H
#define ISOPOD_HIDE_INIT_H

/*
 * Called by a child before it becomes the program: makes sure that /proc/1 does not give access to init. Where the kernel
 * does not protect it, mounts an empty file system over it in new namespaces and drops all capabilities there. -1 with errno
 * on failure.
 */
int hide_init(void);

#endif
