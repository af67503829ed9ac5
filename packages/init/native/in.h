/* Frames from the host, taken apart as they come; no more of one is held than an exec frame has. */
#ifndef ISOPOD_IN_H
#define ISOPOD_IN_H

/* Reads what the host has sent; -1 when it is gone. */
int in_read(void);
/* Handles what was read, as far as the state of the run allows. */
void in_handle(void);
/* Whether the next bytes can be taken now. */
int in_wanted(void);

#endif
