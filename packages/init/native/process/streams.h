/* The three pipes between init and the program. */
#ifndef ISOPOD_STREAMS_H
#define ISOPOD_STREAMS_H

#include <stddef.h>
#include <stdint.h>

struct output {
  int fd; /* -1 after its end */
  unsigned char type;
  uint32_t limit;
  uint64_t total; /* bytes that the program wrote */
};

extern struct output outputs[2]; /* stdout, stderr */
extern int stdin_fd;             /* -1 when closed */

/* Makes the pipes; `child` gets the program's ends. -1 with errno. */
int streams_open(int child[3]);
/* Sets the output limits of a new program, and closes its stdin if it gets none. */
void streams_begin(const uint32_t limits[2], int with_stdin);
void streams_close(void);

/* Whether to read from the pipe now: not while the host is slow, unless the bytes would be discarded. */
int output_wanted(const struct output *output);
/* Reads at most one frame's bytes; returns 1 if there may be more, 0 if the pipe is empty or has ended. */
int output_pump(struct output *output);

/* Queues bytes for the program; -1 when the queue is full. */
int stdin_queue(const unsigned char *bytes, size_t length);
void stdin_end(void);
/* Whether bytes could be passed on now. */
int stdin_pending(void);
void stdin_pump(void);
void stdin_close(void);

#endif
