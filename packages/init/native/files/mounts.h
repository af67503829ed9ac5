/* The directories that a program can write to: /workspace, /tmp and /dev/shm. */
#ifndef ISOPOD_MOUNTS_H
#define ISOPOD_MOUNTS_H

/* Notes their modes, attributes and use before any program runs. */
void mounts_open(void);
/* Empties them and restores what was noted; -1 when something is left. */
int mounts_clear(void);
/* Whether more blocks or inodes are in use than were noted: files without a name take both. */
int mounts_hold_more(void);

#endif
