/* The connections between the program and init. */
#ifndef ISOPOD_FUZZ_NET_H
#define ISOPOD_FUZZ_NET_H

#include <sys/types.h>

#include "world.h"

#define MOST_CONNECTIONS 96

struct connection {
  int own;      /* the program's end; -1 when it is closed */
  int its;      /* init's end, also once it is accepted */
  ino_t inode;  /* by which init's end is known; 0 for a free place */
  uint32_t id;  /* 0 as long as it waits */
  int last;     /* the last byte that was read, or -1 */
  int hung_up, shut, half_closed;
  uint64_t sent, taken;
};

extern struct connection connections[MOST_CONNECTIONS];

/* One more connection that waits to be accepted, if there is a place for it. */
void net_knock(void);
/* Closes the program's end. */
void net_release(struct connection *connection);
/* Whether init has not closed its end. */
int net_is_open(const struct connection *connection);
/* One of the next calls fails. */
void net_fail(unsigned kind);
/* Reads and writes move no more than that at once. */
void net_piece(size_t most);
/* Init need not accept now, as it could not a moment ago. */
int net_pausing(void);

#endif
