/*
 * A container's only access to a network: connections to a port on loopback, carried over the wire to the host as numbered
 * streams. Open only during a run that was granted a tunnel.
 */
#ifndef ISOPOD_TUNNEL_H
#define ISOPOD_TUNNEL_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>

#include "frames/wire.h"

/* Maximum number of poll entries: the listener and each stream. */
#define TUNNEL_WATCHED (1 + MAX_NET_STREAMS)

/* Opens the listener; -1 with errno. */
int tunnel_open(void);
/* Closes the listener and all streams. Sends no frames, because the host closes its side at the end of the run. */
void tunnel_close(void);

/* Fills in the poll entries; returns their number. */
nfds_t tunnel_watch(struct pollfd *watched);
/* Moves bytes in both directions as far as sockets, credit and the queue to the host allow. */
void tunnel_pump(const struct pollfd *watched);

/* Handle frames of the host; frames for a stream that has ended are ignored. */
void tunnel_write(uint32_t id, const unsigned char *bytes, size_t length);
void tunnel_finish(uint32_t id);
void tunnel_drop(uint32_t id);
void tunnel_grant(uint32_t id, uint32_t bytes);

#endif
