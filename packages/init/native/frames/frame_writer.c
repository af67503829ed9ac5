#include "frames/frame_writer.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/exit_init.h"
#include "common/util.h"
#include "frames/wire.h"

#define CAPACITY (512u * 1024)
#define HOLD_US 10000
#define MAX_HELD_BYTES (64u * 1024)

static unsigned char ring[CAPACITY];
static size_t head, pending;
static int64_t held_until; /* 0 if frames are written at once */

size_t writer_pending(void) {
  return pending;
}

void writer_hold(void) {
  if (held_until == 0) held_until = now_us() + HOLD_US;
}

void writer_release(void) {
  held_until = 0;
}

int writer_is_due(void) {
  return pending > 0 && (held_until == 0 || pending >= MAX_HELD_BYTES || now_us() >= held_until);
}

int64_t writer_next_us(void) {
  return pending > 0 && held_until != 0 ? held_until : -1;
}

int writer_at_reserve(void) {
  return CAPACITY - pending < WRITER_RESERVE;
}

/* `length` bytes of the ring from `from` on, as one or two pieces. */
static int pieces(struct iovec *parts, size_t from, size_t length) {
  size_t first = CAPACITY - from < length ? CAPACITY - from : length;
  parts[0] = (struct iovec){ring + from, first};
  parts[1] = (struct iovec){ring, length - first};
  return length > first ? 2 : 1;
}

static void copy_in(size_t at, const unsigned char *bytes, size_t length) {
  struct iovec parts[2];
  int count = pieces(parts, at % CAPACITY, length);
  memcpy(parts[0].iov_base, bytes, parts[0].iov_len);
  if (count == 2) memcpy(parts[1].iov_base, bytes + parts[0].iov_len, parts[1].iov_len);
}

void write_bytes(const void *bytes, size_t length) {
  /* Callers stay within the reserve, so this does not happen. Ends init, because a truncated frame would break the wire. */
  if (length > CAPACITY - pending) exit_init(EXIT_BROKEN);
  copy_in(head + pending, bytes, length);
  pending += length;
}

void write_frame(unsigned char type, const void *payload, size_t length) {
  unsigned char header[HEADER_BYTES] = {type};
  put_u32(header + 1, (uint32_t)length);
  write_bytes(header, sizeof header);
  write_bytes(payload, length);
}

static ssize_t read_at(size_t at, int fd, size_t max) {
  struct iovec parts[2];
  int count = pieces(parts, at % CAPACITY, max);
  ssize_t got;
  do got = readv(fd, parts, count);
  while (got < 0 && errno == EINTR);
  return got;
}

ssize_t write_stream(unsigned char type, const void *prefix, size_t prefix_length, int fd, size_t max) {
  ssize_t got = read_at(head + pending + HEADER_BYTES + prefix_length, fd, max);
  if (got <= 0) return got;
  unsigned char header[HEADER_BYTES] = {type};
  put_u32(header + 1, (uint32_t)(prefix_length + (size_t)got));
  copy_in(head + pending, header, sizeof header);
  copy_in(head + pending + HEADER_BYTES, prefix, prefix_length);
  pending += HEADER_BYTES + prefix_length + (size_t)got;
  return got;
}

int writer_last(struct iovec parts[2], size_t length) {
  return pieces(parts, (head + pending - length) % CAPACITY, length);
}

ssize_t write_from(int fd, size_t max) {
  ssize_t got = read_at(head + pending, fd, max);
  if (got > 0) pending += (size_t)got;
  return got;
}

int writer_flush(void) {
  held_until = 0;
  while (pending > 0) {
    struct iovec parts[2];
    int count = pieces(parts, head, pending);
    ssize_t put = writev(STDOUT_FILENO, parts, count);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno == EAGAIN ? 0 : -1;
    head = (head + (size_t)put) % CAPACITY;
    pending -= (size_t)put;
  }
  return 0;
}

void writer_flush_within(int milliseconds) {
  int64_t deadline = now_us() + (int64_t)milliseconds * 1000;
  while (writer_flush() == 0 && pending > 0) {
    int64_t left = (deadline - now_us()) / 1000;
    if (left <= 0) return;
    struct pollfd host = {.fd = STDOUT_FILENO, .events = POLLOUT};
    poll(&host, 1, (int)left);
  }
}
