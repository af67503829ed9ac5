/* Brings the container back to its first state, and proves it. */
#ifndef ISOPOD_RESET_H
#define ISOPOD_RESET_H

void reset(void);
/* A reset that restores the snapshot. If it is not clean init ends: the next run has been sent already. */
void reset_and_restore(void);

#endif
