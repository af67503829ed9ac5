/* Brings the container back to its first state, and proves it. */
#ifndef ISOPOD_RESET_H
#define ISOPOD_RESET_H

void reset(void);
/* Has the reset of an exec frame follow its run. */
void reset_later(void);
/* Carries it out, once all other answers are queued. */
void reset_kept(void);
/* Resets and restores the snapshot. If the reset is not clean, init ends, because the next run may have been sent already. */
void reset_and_restore(void);

#endif
