/* The host's side of the wire, and the clock, which jumps instead of waiting when all is quiet. */
#define _GNU_SOURCE
#include "world.h"

#include "frames/frame_writer.h"
#include "seams.h"
#undef read
#undef writev
#undef ppoll
#undef poll
#undef fcntl

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TURNS 300000u
#define TURN_US 10
/* Then the program ends, even if the host has more to send: its time limit can be days, and init wakes ten times a second. */
#define PATIENCE_US INT64_C(1000000000)

int64_t clock_us;
int host_copy_fd = -1;

static const uint8_t *script;
static size_t script_left, chunk, room;
static int hung_up;
static unsigned turns;

void violated(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("init violated a property: ", stderr);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  abort();
}

void host_begin(const uint8_t *bytes, size_t size, const uint8_t *steps, size_t steps_size) {
  sender_begin(bytes, size);
  script = steps;
  script_left = steps_size;
  chunk = room = SIZE_MAX;
  hung_up = 0;
  turns = 0;
  clock_us = 1000000;
}

/* These kinds of SPAWN are steps of a connection with a second byte: its number in the three low bits, the amount in the rest. */
#define FIRST_NET_STEP 5u

static void step_of_connection(enum net_step what) {
  unsigned which = 0, much = 0;
  if (script_left > 0) {
    which = *script & 7u;
    much = *script >> 3;
    script++;
    script_left--;
  }
  net_step(what, which, much);
}

/* One byte: the event in the three low bits, the amount in the rest. */
static void step(void) {
  unsigned what = *script & 7u, much = *script >> 3;
  script++;
  script_left--;
  switch (what) {
    case 0:
      if (much < FIRST_NET_STEP || much >= FIRST_NET_STEP + NET_STEPS) program_spawn_mode(much);
      else step_of_connection((enum net_step)(much - FIRST_NET_STEP));
      break;
    case 1: program_write(1, much * much * 80u + 1); break;
    case 2: program_write(2, much * much * 80u + 1); break;
    case 3: program_read(much * 2100u); break;
    case 4: program_exit(much); break;
    /* With 0 the host does not read. */
    case 5: room = much == 31 ? SIZE_MAX : (size_t)much * much * 5u; break;
    case 6:
      if (much < 16) files_plant(much);
      else {
        clock_us += INT64_C(1) << much;
        files_cpu_used(clock_us);
      }
      break;
    default: chunk = much == 31 ? SIZE_MAX : much + 1;
  }
}

static int host_ready(const struct pollfd *fd) {
  if (fd->fd == 0) return (fd->events & POLLIN) != 0 && (sender_ready() || hung_up) ? POLLIN : hung_up ? POLLHUP : 0;
  return (fd->events & POLLOUT) != 0 && room > 0 ? POLLOUT : 0;
}

static int poll_all(struct pollfd *fds, nfds_t count) {
  int ready = 0;
  for (nfds_t i = 0; i < count; i++) {
    fds[i].revents = 0;
    if (fds[i].fd < 0) continue;
    if (fds[i].fd < 2) fds[i].revents = (short)host_ready(&fds[i]);
    else if (poll(&fds[i], 1, 0) < 0) fds[i].revents = 0;
    ready += fds[i].revents != 0;
  }
  return ready;
}

static void pass_time(const struct timespec *timeout) {
  clock_us += (int64_t)timeout->tv_sec * 1000000 + timeout->tv_nsec / 1000 + 1;
}

int fuzz_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask) {
  (void)mask;
  must(++turns < MAX_TURNS, "the loop never rests");
  clock_us += TURN_US;
  int stepped = script_left > 0;
  if (stepped) step();
  else room = SIZE_MAX;
  int ready = poll_all(fds, count);
  if (ready > 0 || stepped || (timeout != NULL && timeout->tv_sec == 0 && timeout->tv_nsec == 0)) return ready;
  /* The host does not know of frames that init holds back, so that they leave together. */
  if (writer_next_us() >= 0) {
    pass_time(timeout);
    return poll_all(fds, count);
  }
  net_quiet();
  if (sender_left() > 0 && !sender_ready()) sender_insist();
  else if (program_alive() && (sender_left() == 0 || clock_us > PATIENCE_US)) program_exit(0);
  else if (timeout != NULL) pass_time(timeout);
  else {
    must(sender_left() == 0, "it waits for nothing while the host has %zu bytes for it", sender_left());
    hung_up = 1;
  }
  return poll_all(fds, count);
}

int fuzz_poll(struct pollfd *fds, nfds_t count, int milliseconds) {
  int ready = poll_all(fds, count);
  if (ready == 0) clock_us += (int64_t)milliseconds * 1000;
  return ready;
}

ssize_t fuzz_read(int fd, void *buffer, size_t size) {
  if (fd != 0) return read(fd, buffer, size);
  size_t given = sender_give(buffer, size < chunk ? size : chunk);
  if (given > 0 || hung_up) return (ssize_t)given;
  errno = EAGAIN;
  return -1;
}

ssize_t fuzz_writev(int fd, const struct iovec *parts, int count) {
  ssize_t put;
  if (fd != 1) return net_writev(fd, parts, count, &put) ? put : writev(fd, parts, count);
  size_t taken = 0;
  for (int i = 0; i < count && taken < room; i++) {
    size_t size = parts[i].iov_len < room - taken ? parts[i].iov_len : room - taken;
    sink_take(parts[i].iov_base, size);
    if (host_copy_fd >= 0) must(write(host_copy_fd, parts[i].iov_base, size) == (ssize_t)size, "no room for a copy");
    taken += size;
  }
  if (room != SIZE_MAX) room -= taken;
  if (taken > 0) return (ssize_t)taken;
  errno = EAGAIN;
  return -1;
}

void host_takes_all(void) {
  room = SIZE_MAX;
  writer_flush();
}

int fuzz_clock_gettime(clockid_t clock, struct timespec *time) {
  (void)clock;
  *time = (struct timespec){clock_us / 1000000, clock_us % 1000000 * 1000};
  return 0;
}

int fuzz_nanosleep(const struct timespec *time, struct timespec *left) {
  (void)left;
  clock_us += (int64_t)time->tv_sec * 1000000 + time->tv_nsec / 1000;
  return 0;
}

int fuzz_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *time) {
  (void)set;
  (void)info;
  fuzz_nanosleep(time, NULL);
  errno = EAGAIN;
  return -1;
}
