/* Brings the container back to how it began, and proves it. */
#ifndef ISOPOD_RESET_H
#define ISOPOD_RESET_H

void reset(void);
/* A reset that restores the snapshot. One that is not clean ends init: the host has sent more ahead than could be refused. */
void reset_and_restore(void);

#endif
