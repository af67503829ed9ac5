/* Init's sockets: a listener to which the program connects, and connections that fail when the script says so. */
#define _GNU_SOURCE
#include "net.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "frames/wire.h"
#include "seams.h"
#undef read
#undef readv
#undef writev
#undef fcntl
#undef socket
#undef bind
#undef listen
#undef accept4
#undef setsockopt
#undef shutdown

/* Small, so that they fill up. */
#define SOCKET_BYTES 8192
#define ACCEPT_PAUSE_US 100000
/* The kernel counts a waiting connection as a page. */
#define KNOCKS_BYTES (MAX_CONNECTIONS * 4096)

enum { NOTHING, SOCKET, BIND, LISTEN, ACCEPT, READ, WRITE };

/* Which call fails next. */
static const struct {
  int call, error;
} FAILURES[] = {
    {SOCKET, EMFILE}, {BIND, EADDRINUSE}, {LISTEN, EADDRINUSE}, {ACCEPT, EMFILE},     {ACCEPT, ECONNABORTED},
    {ACCEPT, EINTR},  {READ, EAGAIN},     {READ, EINTR},        {READ, ECONNRESET},   {READ, ETIMEDOUT},
    {WRITE, EAGAIN},  {WRITE, EINTR},     {WRITE, EPIPE},       {WRITE, ECONNRESET},
};

struct connection connections[MAX_CONNECTIONS];
static int listener = -1, knocks = -1;
static ino_t listener_inode;
static uint32_t accepted;
static int failing;
/* Until then init need not accept. */
static int64_t pause_ends_us;
static size_t piece;

void net_begin(void) {
  for (size_t i = 0; i < MAX_CONNECTIONS; i++) connections[i] = (struct connection){.own = -1, .its = -1};
  listener = knocks = -1;
  listener_inode = 0;
  accepted = 0;
  failing = NOTHING;
  pause_ends_us = 0;
  piece = SIZE_MAX;
}

static int fails(int call) {
  if (failing == NOTHING || FAILURES[failing - 1].call != call) return 0;
  errno = FAILURES[failing - 1].error;
  if (call == ACCEPT) pause_ends_us = clock_us + ACCEPT_PAUSE_US;
  failing = NOTHING;
  return 1;
}

static ino_t inode_of(int fd) {
  struct stat status;
  return fd >= 0 && fstat(fd, &status) == 0 ? status.st_ino : 0;
}

int net_listening(void) {
  return listener_inode != 0 && inode_of(listener) == listener_inode;
}

int net_is_open(const struct connection *connection) {
  return connection->inode != 0 && inode_of(connection->its) == connection->inode;
}

static struct connection *find(int fd) {
  for (size_t i = 0; i < MAX_CONNECTIONS; i++) {
    if (connections[i].id != 0 && connections[i].its == fd && net_is_open(&connections[i])) return &connections[i];
  }
  return NULL;
}

void net_check_closed(void) {
  for (size_t i = 0; i < MAX_CONNECTIONS; i++) {
    must(connections[i].id == 0 || !net_is_open(&connections[i]), "a connection of an earlier run is open");
  }
}

void net_release(struct connection *connection) {
  if (connection->own >= 0) close(connection->own);
  connection->own = -1;
  /* A waiting connection that was closed is accepted nevertheless, and has ended. */
  if (connection->id == 0 && net_listening()) return;
  if (connection->id == 0 && connection->its >= 0) close(connection->its);
  if (connection->id == 0 || !net_is_open(connection)) *connection = (struct connection){.own = -1, .its = -1};
}

static void make_pair(int ends[2], int size) {
  must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0, "no sockets");
  for (int i = 0; i < 2; i++) setsockopt(ends[i], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
}

int fuzz_socket(int domain, int type, int protocol) {
  must(domain == AF_INET && type == (SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK) && protocol == 0, "an unexpected socket");
  must(!net_listening(), "two listeners");
  if (fails(SOCKET)) return -1;
  /* Connections that waited for the last listener are refused. */
  for (size_t i = 0; i < MAX_CONNECTIONS; i++) {
    if (connections[i].inode != 0 && connections[i].id == 0) net_release(&connections[i]);
  }
  int ends[2];
  make_pair(ends, KNOCKS_BYTES);
  if (knocks >= 0) close(knocks);
  listener = ends[0];
  knocks = ends[1];
  listener_inode = inode_of(listener);
  return listener;
}

int fuzz_bind(int fd, const struct sockaddr *address, socklen_t size) {
  struct sockaddr_in in;
  must(fd == listener && size == sizeof in, "another socket is bound");
  memcpy(&in, address, sizeof in);
  must(in.sin_family == AF_INET && in.sin_addr.s_addr == htonl(INADDR_LOOPBACK) && in.sin_port == htons(NET_PORT),
       "the listener is bound to another address");
  return fails(BIND) ? -1 : 0;
}

int fuzz_listen(int fd, int backlog) {
  must(fd == listener && backlog > 0, "another socket listens");
  return fails(LISTEN) ? -1 : 0;
}

int fuzz_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags) {
  must(fd == listener && address == NULL && size == NULL, "accept on another socket");
  must(flags == (SOCK_CLOEXEC | SOCK_NONBLOCK), "a connection that a program inherits or that blocks");
  if (fails(ACCEPT)) return -1;
  char knock;
  if (read(listener, &knock, 1) != 1) {
    errno = EAGAIN;
    return -1;
  }
  struct connection *connection = &connections[(unsigned char)knock];
  must(connection->inode != 0 && connection->id == 0, "it was accepted before");
  connection->id = ++accepted;
  return connection->its;
}

int fuzz_setsockopt(int fd, int level, int name, const void *value, socklen_t size) {
  struct connection *connection = find(fd);
  (void)value;
  (void)size;
  /* A fork's socket, not a connection of the program. */
  if (level == SOL_SOCKET && name == SO_PASSCRED) return 0;
  must(fd == listener || connection != NULL, "an option of an unknown socket");
  must(level != SOL_SOCKET || name != SO_REUSEPORT, "SO_REUSEPORT would share the port");
  if (connection != NULL && level == SOL_SOCKET && name == SO_LINGER) connection->hung_up = 1;
  return 0;
}

int fuzz_shutdown(int fd, int how) {
  struct connection *connection = find(fd);
  must(connection != NULL && how == SHUT_WR, "something else is shut");
  must(ledger_may_end(connection->id), "an end that the host did not ask for");
  must(!connection->shut, "it is shut twice");
  connection->shut = 1;
  return shutdown(fd, how);
}

/* Limits the parts to the size of a piece. */
static int cut(struct iovec *into, const struct iovec *parts, int count) {
  size_t room = piece;
  int used = 0;
  while (used < count && room > 0) {
    into[used] = parts[used];
    if (into[used].iov_len > room) into[used].iov_len = room;
    room -= into[used++].iov_len;
  }
  return used;
}

ssize_t fuzz_readv(int fd, const struct iovec *parts, int count) {
  struct iovec pieces[2];
  if (find(fd) == NULL) return readv(fd, parts, count);
  if (fails(READ)) return -1;
  return readv(fd, pieces, cut(pieces, parts, count));
}

int net_writev(int fd, const struct iovec *parts, int count, ssize_t *put) {
  struct connection *connection = find(fd);
  struct iovec pieces[2];
  if (connection == NULL) return 0;
  must(!connection->shut, "bytes after the end");
  *put = fails(WRITE) ? -1 : writev(fd, pieces, cut(pieces, parts, count));
  if (*put > 0) connection->taken += (uint64_t)*put;
  return 1;
}

void net_hang_up(void) {
  for (size_t i = 0; i < MAX_CONNECTIONS; i++) {
    if (connections[i].inode != 0) net_release(&connections[i]);
  }
}

void net_open_connection(void) {
  for (unsigned i = 0; i < MAX_CONNECTIONS; i++) {
    if (connections[i].inode != 0 && connections[i].own < 0) net_release(&connections[i]);
    if (connections[i].inode != 0) continue;
    int ends[2];
    make_pair(ends, SOCKET_BYTES);
    connections[i] = (struct connection){.own = ends[1], .its = ends[0], .inode = inode_of(ends[0]), .last = -1};
    char name = (char)i;
    must(write(knocks, &name, 1) == 1, "the listener got no connection");
    return;
  }
}

void net_fail(unsigned kind) {
  failing = 1 + (int)(kind % (sizeof FAILURES / sizeof *FAILURES));
}

void net_piece(size_t max) {
  piece = max;
}

int net_pausing(void) {
  return clock_us < pause_ends_us;
}
