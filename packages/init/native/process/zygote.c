#define _GNU_SOURCE
#include "process/zygote.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/util.h"
#include "process/process.h"
#include "process/streams.h"

/* A fork takes a millisecond; with a small CPU quota it takes far longer. */
#define FORK_TIMEOUT_US (10 * 1000000ll)
#define HANDED_OVER 4

static int zygote_fd = -1; /* socket of the zygote */
static int fork_fd = -1;   /* socket of the requested fork */

static void close_fd(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

static ssize_t receive(int fd, pid_t *from) {
  char byte, room[CMSG_SPACE(sizeof(struct ucred))] __attribute__((aligned(8)));
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  ssize_t got;
  do got = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  struct cmsghdr *head = got == 1 && from != NULL ? CMSG_FIRSTHDR(&message) : NULL;
  if (head != NULL && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_CREDENTIALS) {
    struct ucred sender;
    memcpy(&sender, CMSG_DATA(head), sizeof sender);
    *from = sender.pid;
  }
  return got;
}

int zygote_await_ready(int fd, int64_t deadline_us, pid_t *from) {
  for (;;) {
    /* Also notices that the host has gone. */
    struct pollfd ends[2] = {{.fd = fd, .events = POLLIN}, {.fd = STDIN_FILENO, .events = 0}};
    int64_t left = (deadline_us - now_us() + 999) / 1000;
    if (left <= 0) return ETIMEDOUT;
    /* A longer wait does not fit, and a negative one has no end. */
    if (poll(ends, 2, left < INT_MAX ? (int)left : INT_MAX) < 0) continue;
    if (ends[1].revents != 0) return EPIPE;
    if (ends[0].revents != 0) return receive(fd, from) == 1 ? 0 : ESRCH;
  }
}

void zygote_open(int fd) {
  zygote_fd = fd;
}

int zygote_is_open(void) {
  return zygote_fd >= 0;
}

void zygote_close(void) {
  close_fd(&zygote_fd);
  close_fd(&fork_fd);
}

int zygote_is_healthy(void) {
  char path[64], stat[1024];
  /* Its pid cannot be reused before init has reaped it. */
  if (standby.zygote == 0) return 0;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)standby.zygote);
  if (read_small(path, stat, sizeof stat) < 0) return 0;
  const char *state = strrchr(stat, ')');
  return state != NULL && (strncmp(state, ") S", 3) == 0 || strncmp(state, ") R", 3) == 0);
}

static int hand_over(const int fds[HANDED_OVER]) {
  char room[CMSG_SPACE(HANDED_OVER * sizeof(int))] __attribute__((aligned(8))) = {0};
  struct iovec part = {"f", 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  struct cmsghdr *head = CMSG_FIRSTHDR(&message);
  *head = (struct cmsghdr){.cmsg_len = CMSG_LEN(HANDED_OVER * sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
  memcpy(CMSG_DATA(head), fds, HANDED_OVER * sizeof(int));
  return sendmsg(zygote_fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == 1 ? 0 : errno;
}

int zygote_request_fork(void) {
  int fds[HANDED_OVER] = {-1, -1, -1, -1}, ends[2] = {-1, -1}, on = 1, error = 0;
  close_fd(&fork_fd);
  streams_close();
  if (streams_open(fds) < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0 ||
      setsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on) < 0) {
    error = errno;
  }
  fork_fd = ends[0];
  fds[3] = ends[1];
  if (error == 0) error = hand_over(fds);
  for (int i = 0; i < HANDED_OVER; i++) close_fd(&fds[i]);
  if (error != 0) close_fd(&fork_fd);
  return error;
}

int zygote_await_fork(int *control) {
  pid_t from = 0;
  int error = fork_fd >= 0 ? 0 : zygote_request_fork();
  if (error == 0) error = zygote_await_ready(fork_fd, now_us() + FORK_TIMEOUT_US, &from);
  if (error == 0 && (from <= 1 || from == standby.zygote)) error = EBADMSG;
  if (error != 0) {
    close_fd(&fork_fd);
    return error;
  }
  standby.waiting = from;
  *control = fork_fd;
  fork_fd = -1;
  return 0;
}
