/* The program's side of the tunnel: connections that open, send, read, half-close and break as the script says. */
#define _GNU_SOURCE
#include "net.h"

#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static void send_some(struct connection *connection, size_t size) {
  static uint8_t bytes[80 * 31 * 31 + 1];
  for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)((connection->sent + i) % PATTERN);
  ssize_t put = connection->half_closed ? 0 : write(connection->own, bytes, size);
  if (put > 0) connection->sent += (uint64_t)put;
}

static void read_some(struct connection *connection, size_t size) {
  static uint8_t bytes[65536];
  ssize_t got = read(connection->own, bytes, size);
  for (ssize_t i = 0; i < got; i++) {
    must(connection->last < 0 || bytes[i] == (connection->last + 1) % PATTERN, "the program reads what was not sent");
    connection->last = bytes[i];
  }
  if (got == 0 && size > 0) must(connection->shut || connection->hung_up || !net_is_open(connection), "the connection ended without a cause");
}

/* The nth connection that is open on the program's side. */
static struct connection *nth(unsigned n) {
  for (unsigned turn = 0; turn < 2; turn++) {
    unsigned open = 0;
    for (size_t i = 0; i < MAX_CONNECTIONS; i++) {
      if (connections[i].own >= 0 && open++ == n) return &connections[i];
    }
    if (open == 0) return NULL;
    n %= open;
  }
  return NULL;
}

void net_step(enum net_step what, unsigned which, unsigned much) {
  if (what == NET_FAIL) net_fail(much);
  if (what == NET_PIECE) net_piece(much == 31 ? SIZE_MAX : much + 1);
  if (what == NET_INSIST) sender_insist();
  if (!program_alive()) return;
  for (unsigned i = 0; what == NET_CONNECT && net_listening() && i <= much; i++) net_open_connection();
  struct connection *connection = what == NET_CONNECT ? NULL : nth(which);
  if (connection == NULL) return;
  if (what == NET_SEND) send_some(connection, much * much * 80u + 1);
  if (what == NET_READ) read_some(connection, much * 2100u + 1);
  if (what == NET_END) {
    connection->half_closed = 1;
    shutdown(connection->own, SHUT_WR);
  }
  if (what == NET_CLOSE) net_release(connection);
}

void net_quiet(void) {
  if (!program_alive() || !net_listening()) return;
  for (size_t i = 0; i < MAX_CONNECTIONS; i++) {
    const struct connection *connection = &connections[i];
    if (connection->inode == 0) continue;
    must(connection->id != 0 || net_pausing() || ledger_is_full(), "a connection is left to wait");
    if (connection->id == 0) continue;
    int unread = 0;
    if (connection->own >= 0) ioctl(connection->own, FIONREAD, &unread);
    const struct progress progress = {.sent = connection->sent, .taken = connection->taken,
                                      .sent_all = connection->half_closed, .may_take = connection->own >= 0 && unread == 0,
                                      .shut = connection->shut, .held = net_is_open(connection)};
    ledger_quiet(connection->id, &progress);
  }
}
