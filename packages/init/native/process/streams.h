/* The three pipes between init and the program. */
#ifndef ISOPOD_STREAMS_H
#define ISOPOD_STREAMS_H

#include <stddef.h>
#include <stdint.h>

struct output {
  int fd; /* -1 once it ended */
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

/* Whether to read from it now: not while the host is slow, unless the bytes will be discarded. */
int output_wanted(const struct output *output);
/* Reads one frame's worth; 1 when there may be more, 0 when it is empty or has ended. */
int output_pump(struct output *output);

/* Queues bytes for the program; -1 when the queue is full. */
int stdin_queue(const unsigned char *bytes, size_t length);
void stdin_end(void);
int stdin_pending(void);
void stdin_pump(void);
void stdin_close(void);

#endif
