/*
 * The only way out of a container: connections to a port on loopback, carried over the wire to the host as numbered
 * streams. It is open only during a run that the host has granted it to.
 */
#ifndef ISOPOD_TUNNEL_H
#define ISOPOD_TUNNEL_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>

#include "frames/wire.h"

/* The listener and each stream. */
#define TUNNEL_WATCHED (1 + MAX_NET_STREAMS)

/* Opens the listener; -1 with errno. */
int tunnel_open(void);
/* Ends listener and streams at once, with nothing said to the host: the end of the run tells it. */
void tunnel_close(void);

/* Fills in what is waited for; how many entries that are. */
nfds_t tunnel_watch(struct pollfd *watched);
/* Moves bytes both ways as far as sockets, credit and the queue to the host allow. */
void tunnel_pump(const struct pollfd *watched);

/* What the host sends. Of a stream that has ended here meanwhile it is ignored. */
void tunnel_write(uint32_t id, const unsigned char *bytes, size_t length);
void tunnel_finish(uint32_t id);
void tunnel_drop(uint32_t id);
void tunnel_grant(uint32_t id, uint32_t bytes);

#endif
