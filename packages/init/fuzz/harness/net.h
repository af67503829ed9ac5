/* The connections between the program and init. */
#ifndef ISOPOD_FUZZ_NET_H
#define ISOPOD_FUZZ_NET_H

#include <sys/types.h>

#include "world.h"

#define MAX_CONNECTIONS 96

struct connection {
  int own;      /* the program's end; -1 when closed */
  int its;      /* init's end, before and after it is accepted */
  ino_t inode;  /* identifies init's end; 0 for a free place */
  uint32_t id;  /* 0 while it waits */
  int last;     /* the last byte that was read, or -1 */
  int hung_up, shut, half_closed;
  uint64_t sent, taken;
};

extern struct connection connections[MAX_CONNECTIONS];

/* Adds a connection that waits to be accepted, if there is a free place. */
void net_open_connection(void);
/* Closes the program's end. */
void net_release(struct connection *connection);
/* Whether init's end is open. */
int net_is_open(const struct connection *connection);
/* Makes one of the next calls fail. */
void net_fail(unsigned kind);
/* Limits the bytes that one read or write moves. */
void net_piece(size_t max);
/* Whether init need not accept yet, because accept has just failed. */
int net_pausing(void);

#endif
