/* Sockets of the container's network namespace, whoever holds them. */
#ifndef ISOPOD_SOCKETS_H
#define ISOPOD_SOCKETS_H

#include <stdint.h>

/* UNKNOWN where the kernel does not tell. */
struct sockets {
  int64_t used;
  int64_t lingering; /* TCP connections that have ended and keep their port for a while */
};

struct sockets sockets_now(void);
/* Has the kernel look for sockets that nobody can receive any more; it does so in the background. */
void sockets_find_lost(void);

#endif
