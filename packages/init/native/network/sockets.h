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

/* What bounds the memory of the sockets, at a glance; 0 where the kernel does not tell. */
struct socket_bounds {
  int64_t data_bytes; /* in the buffers of all sockets of the host */
  int64_t tcp, tcp6;  /* of this namespace, those among them that nobody has accepted */
  int64_t udp;        /* of this namespace, of both families */
  int64_t ended;      /* as `lingering` above */
};

struct socket_bounds socket_bounds(void);
/* Has the kernel look for sockets that nobody can receive any more; it does so in the background. */
void sockets_find_lost(void);

#endif
