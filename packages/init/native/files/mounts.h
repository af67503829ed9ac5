/* The directories that a program can write to: /workspace, /tmp and /dev/shm. */
#ifndef ISOPOD_MOUNTS_H
#define ISOPOD_MOUNTS_H

/* Records their modes, attributes and use before any program runs. */
void mounts_open(void);
/* Empties them and restores their modes and attributes; -1 if something is left. */
int mounts_clear(void);
/* Whether more blocks or inodes are in use than were recorded: files without a name take both. */
int mounts_hold_more(void);

#endif
