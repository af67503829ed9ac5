#ifndef ISOPOD_HIDE_INIT_H
#define ISOPOD_HIDE_INIT_H

/*
 * Called in the child before exec: denies the program access to init through /proc/1. Where the kernel does not already do
 * so, mounts an empty file system over /proc/1 in new namespaces and drops all capabilities there. Returns -1 with errno on
 * failure.
 */
int hide_init(void);

#endif
