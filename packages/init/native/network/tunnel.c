#define _GNU_SOURCE
#include "network/tunnel.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "common/util.h"
#include "frames/fault.h"
#include "frames/frame_writer.h"
#include "network/sockets.h"

/* Streams are read only while fewer bytes are queued for the host, so that they never delay a program's output. */
#define QUEUE_FULL (64u * 1024)
/* Bytes that the program must have read before the host gets new credit for them. */
#define CREDIT_AT (MAX_NET_WINDOW_BYTES / 4)
/* Socket buffers; small, because cgroup v1 does not count them. */
#define SOCKET_BYTES (64 * 1024)
#define ACCEPT_PAUSE_US 50000
#define PORT_TIMEOUT_US 2000000

struct stream {
  uint32_t id; /* 0 for a free place */
  int fd;      /* -1 after a failure that is not reported to the host yet */
  uint32_t credit;
  uint32_t owed; /* bytes that the program has read since the last credit frame */
  size_t head, queued;
  unsigned char program_ended, host_ended, shut;
};

static struct stream streams[MAX_NET_STREAMS];
/* Page-aligned so that the memory of a stream can be released when it ends. */
static unsigned char buffers[MAX_NET_STREAMS][MAX_NET_WINDOW_BYTES] __attribute__((aligned(4096)));
static int listener = -1;
static uint32_t last_id;
static unsigned first_served;
static int64_t accept_after_us;

static int listen_once(void) {
  const struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(NET_PORT), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  const int on = 1, size = SOCKET_BYTES;
  listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0) return -1;
  /* Not SO_REUSEPORT, which would let the program listen on the same port. Accepted sockets inherit the sizes. */
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  setsockopt(listener, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  if (bind(listener, (const struct sockaddr *)&address, sizeof address) == 0 && listen(listener, MAX_NET_STREAMS) == 0)
    return 0;
  int error = errno;
  close(listener);
  listener = -1;
  errno = error;
  return -1;
}

/* A listener of an earlier run can survive for a moment in an unread message. */
int tunnel_open(void) {
  int64_t deadline = now_us() + PORT_TIMEOUT_US;
  while (listen_once() < 0) {
    if (errno != EADDRINUSE || now_us() >= deadline) return -1;
    sockets_find_lost();
    nanosleep(&(struct timespec){.tv_nsec = 5 * 1000 * 1000}, NULL);
  }
  return 0;
}

/* Closes with RST instead of FIN, so that no port stays in use. */
static void hang_up(struct stream *stream) {
  const struct linger now = {1, 0};
  if (stream->fd < 0) return;
  setsockopt(stream->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  close(stream->fd);
  stream->fd = -1;
}

static void release(struct stream *stream) {
  hang_up(stream);
  madvise(buffers[stream - streams], MAX_NET_WINDOW_BYTES, MADV_DONTNEED);
  *stream = (struct stream){.fd = -1};
}

void tunnel_close(void) {
  if (listener < 0) return;
  close(listener);
  listener = -1;
  for (unsigned i = 0; i < MAX_NET_STREAMS; i++) {
    if (streams[i].id != 0) release(&streams[i]);
  }
}

static struct stream *find(uint32_t id) {
  for (unsigned i = 0; i < MAX_NET_STREAMS; i++) {
    if (streams[i].id == id) return &streams[i];
  }
  return NULL;
}

/* A stream that the host may still write to. */
static struct stream *writable(uint32_t id) {
  struct stream *stream = id != 0 ? find(id) : NULL;
  return stream != NULL && stream->fd >= 0 && !stream->host_ended ? stream : NULL;
}

void tunnel_write(uint32_t id, const unsigned char *bytes, size_t length) {
  struct stream *stream = writable(id);
  if (stream == NULL) return;
  if (length > MAX_NET_WINDOW_BYTES - stream->queued) fatal("frame", ENOBUFS);
  unsigned char *buffer = buffers[stream - streams];
  size_t at = (stream->head + stream->queued) % MAX_NET_WINDOW_BYTES;
  size_t first = MAX_NET_WINDOW_BYTES - at < length ? MAX_NET_WINDOW_BYTES - at : length;
  memcpy(buffer + at, bytes, first);
  memcpy(buffer, bytes + first, length - first);
  stream->queued += length;
}

void tunnel_finish(uint32_t id) {
  struct stream *stream = writable(id);
  if (stream != NULL) stream->host_ended = 1;
}

void tunnel_drop(uint32_t id) {
  struct stream *stream = id != 0 ? find(id) : NULL;
  if (stream != NULL) release(stream);
}

void tunnel_grant(uint32_t id, uint32_t bytes) {
  struct stream *stream = id != 0 ? find(id) : NULL;
  if (stream == NULL) return;
  if (bytes > MAX_NET_WINDOW_BYTES - stream->credit) fatal("frame", EBADMSG);
  stream->credit += bytes;
}

static int room(void) {
  return writer_pending() < QUEUE_FULL;
}

static int may_read(const struct stream *stream) {
  return stream->fd >= 0 && !stream->program_ended && stream->credit > 0 && room();
}

nfds_t tunnel_watch(struct pollfd *watched) {
  if (listener < 0) return 0;
  int welcome = find(0) != NULL && room() && now_us() >= accept_after_us;
  watched[0] = (struct pollfd){.fd = welcome ? listener : -1, .events = POLLIN};
  for (unsigned i = 0; i < MAX_NET_STREAMS; i++) {
    short events = (short)((may_read(&streams[i]) ? POLLIN : 0) | (streams[i].queued > 0 ? POLLOUT : 0));
    /* A stream without events is left out: poll would report its end again and again. */
    watched[1 + i] = (struct pollfd){.fd = events != 0 ? streams[i].fd : -1, .events = events};
  }
  return TUNNEL_WATCHED;
}

static void tell(unsigned char type, uint32_t id, uint32_t bytes) {
  unsigned char payload[8];
  put_u32(payload, id);
  put_u32(payload + 4, bytes);
  write_frame(type, payload, type == FRAME_NET_CREDIT ? 8 : 4);
}

static void accept_waiting(void) {
  const int on = 1;
  struct stream *place;
  while (room() && (place = find(0)) != NULL) {
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
      if (errno == EINTR) continue;
      /* Out of descriptors or memory: the connection still waits, and an immediate retry would spin. */
      if (errno != EAGAIN && errno != ECONNABORTED) accept_after_us = now_us() + ACCEPT_PAUSE_US;
      return;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    *place = (struct stream){.id = ++last_id, .fd = fd, .credit = MAX_NET_WINDOW_BYTES};
    tell(FRAME_NET_OPEN, place->id, 0);
  }
}

/* Passes the host's bytes to the program. */
static void pump_in(struct stream *stream) {
  while (stream->queued > 0) {
    unsigned char *buffer = buffers[stream - streams];
    size_t first = MAX_NET_WINDOW_BYTES - stream->head;
    if (first > stream->queued) first = stream->queued;
    struct iovec parts[2] = {{buffer + stream->head, first}, {buffer, stream->queued - first}};
    ssize_t put = writev(stream->fd, parts, 2);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EAGAIN) return;
    if (put < 0) {
      hang_up(stream);
      return;
    }
    stream->head = (stream->head + (size_t)put) % MAX_NET_WINDOW_BYTES;
    stream->queued -= (size_t)put;
    stream->owed += (uint32_t)put;
  }
  if (stream->host_ended && !stream->shut) {
    shutdown(stream->fd, SHUT_WR);
    stream->shut = 1;
  }
}

/* Passes the program's bytes to the host, one frame per turn, so that streams take turns. */
static void pump_out(struct stream *stream) {
  unsigned char id[4];
  put_u32(id, stream->id);
  ssize_t got = write_stream(FRAME_NET_DATA, id, sizeof id, stream->fd,
                             stream->credit < MAX_NET_BYTES ? stream->credit : MAX_NET_BYTES);
  if (got > 0) stream->credit -= (uint32_t)got;
  else if (got < 0 && errno != EAGAIN) hang_up(stream);
  else if (got == 0) {
    stream->program_ended = 1;
    tell(FRAME_NET_END, stream->id, 0);
  }
}

static void pump(struct stream *stream, int ready) {
  if (stream->fd >= 0) pump_in(stream);
  if (ready && may_read(stream)) pump_out(stream);
  if (stream->fd >= 0 && stream->owed >= CREDIT_AT && room()) {
    tell(FRAME_NET_CREDIT, stream->id, stream->owed);
    stream->owed = 0;
  }
  if (stream->fd >= 0 && stream->program_ended && stream->shut) {
    /* Both directions have ended. Closed with FIN: a reset would discard what the program has not read yet. */
    close(stream->fd);
    stream->fd = -1;
    release(stream);
    return;
  }
  if (stream->id != 0 && stream->fd < 0 && room()) {
    tell(FRAME_NET_RESET, stream->id, 0);
    release(stream);
  }
}

void tunnel_pump(const struct pollfd *watched) {
  if (listener < 0) return;
  /* First, so that the host learns of a new stream at once. */
  if (watched[0].revents != 0) accept_waiting();
  unsigned first = first_served++;
  for (unsigned i = 0; i < MAX_NET_STREAMS; i++) {
    unsigned place = (first + i) % MAX_NET_STREAMS;
    if (streams[place].id != 0) pump(&streams[place], watched[1 + place].revents != 0);
  }
}
