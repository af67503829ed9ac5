/* Reads the host's frames and carries them out. Buffers at most one exec frame. */
#ifndef ISOPOD_FRAME_READER_H
#define ISOPOD_FRAME_READER_H

/* Reads what the host has sent; -1 when the host is gone. */
int reader_fill(void);
/* Handles the frames that were read, as far as the state of the run allows. */
void reader_dispatch(void);
/* Whether there is room to read more. */
int reader_wants_input(void);

#endif
