/* Frames from the host, taken apart as they come; no more of one is held than an exec frame has. */
#ifndef ISOPOD_FRAME_READER_H
#define ISOPOD_FRAME_READER_H

/* Reads what the host has sent; -1 when it is gone. */
int reader_fill(void);
/* Handles what was read, as far as the state of the run allows. */
void reader_dispatch(void);
/* Whether the next bytes can be taken now. */
int reader_wants_input(void);

#endif
