#ifndef ISOPOD_HIDE_INIT_H
#define ISOPOD_HIDE_INIT_H

/* First of all: no program may ever look into init through /proc/1. */
void hide_self(void);

/*
 * Whether this kernel hides every process whose file the user may not read, as Linux does: it hid this one before `hide_self`.
 * gVisor cannot start such a file.
 */
int kernel_hides_init(void);

/*
 * Called in the child before exec: denies the program access to init through /proc/1. Where the kernel does not already do
 * so, mounts an empty file system over /proc/1 in new namespaces and drops all capabilities there. Returns -1 with errno on
 * failure.
 */
int hide_init(void);

#endif
