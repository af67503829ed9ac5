/* Brings the container back to how it began, and proves it. */
#ifndef ISOPOD_RESET_H
#define ISOPOD_RESET_H

/* Remembers how the writable mounts looked at first. */
void reset_open(void);
/* Remembers what there is of memory and sockets before any program. */
void reset_baseline(void);
void reset(void);
/* A reset that restores the snapshot. One that is not clean ends init: the host has sent more ahead than could be refused. */
void reset_and_restore(void);
/* Empties the writable mounts; -1 when something is left. */
int reset_files(void);

#endif
