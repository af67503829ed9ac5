/* Counts the sockets of the container's network namespace. */
#ifndef ISOPOD_SOCKETS_H
#define ISOPOD_SOCKETS_H

#include <stdint.h>

/* UNKNOWN where the kernel does not report it. */
struct sockets {
  int64_t used;
  int64_t lingering; /* TCP connections in TIME_WAIT, which hold their port for a while */
};

struct sockets sockets_now(void);

/* Upper bounds for the memory of sockets, cheap to read; 0 where the kernel does not report them. */
struct socket_bounds {
  int64_t data_bytes; /* in the buffers of all sockets of the host */
  int64_t tcp, tcp6;  /* of this namespace, including those that are not accepted yet */
  int64_t udp;        /* of this namespace, of both families */
  int64_t ended;      /* TCP connections in TIME_WAIT */
};

struct socket_bounds socket_bounds(void);
/* Starts the kernel's background search for sockets that no process can receive any more. */
void sockets_find_lost(void);

#endif
