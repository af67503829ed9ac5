/*
 * Starts sandboxes for one worker, so that the worker itself need not fork: that takes a large process milliseconds.
 *
 *   isopod-spawner SOCKET [PATH...]
 *
 * Sandboxes need these paths of the host; as root, the spawner leaves the other mounts. Without paths it keeps all.
 *
 * Each connection to the socket is one sandbox. It begins with the sandbox's id, 64 hexadecimal digits and NUL, and its steps
 * (steps.h), which may come later. From then on the connection is stdin and stdout of the sandbox's init.
 *
 * stdin    "kill ID" ends a sandbox. At the end of stdin everything ends.
 * stdout   "ended ID exit|signal NUMBER MESSAGE", with what the sandbox wrote to stderr, or why there is none
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "mounts.h"
#include "sandboxes.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#define BACKLOG 256
/* Pause after the kernel refused a connection, which would otherwise be tried again at once. */
#define REFUSED_PAUSE_MS 10

enum watched { CONTROL, CHILDREN, CONNECTIONS, WATCHED };

_Noreturn static void fail(const char *what) {
  dprintf(STDERR_FILENO, "isopod-spawner: %s: %s\n", what, strerror(errno));
  exit(EXIT_FAILURE);
}

/* The path appears once it listens, so that a socket that refuses connections is one that was left. */
static int listen_at(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int length = snprintf(address.sun_path, sizeof address.sun_path, "%s.new", path);
  if (length < 0 || (size_t)length >= sizeof address.sun_path) errno = ENAMETOOLONG, fail(path);
  unlink(address.sun_path);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  umask(077);
  if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, BACKLOG) < 0 ||
      rename(address.sun_path, path) < 0) {
    fail(path);
  }
  return fd;
}

static int watch_children(void) {
  static const int ignored[] = {SIGTERM, SIGINT, SIGHUP};
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_SETMASK, &children, NULL);
  signal(SIGPIPE, SIG_IGN);
  /* Signals to the worker's group or unit: the worker drains, and ends this process when it has. */
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) signal(ignored[i], SIG_IGN);
  return signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void accept_all(int listener) {
  int connection;
  while ((connection = high_descriptor(accept4(listener, NULL, NULL, SOCK_CLOEXEC))) >= 0) {
    start_sandbox(connection);
    close(connection);
  }
  if (errno != EAGAIN) poll(NULL, 0, REFUSED_PAUSE_MS);
}

/* Returns whether the worker is still there. */
static int read_control(int listener) {
  static char buffer[4096];
  static size_t used;
  ssize_t got = read(STDIN_FILENO, buffer + used, sizeof buffer - used);
  if (got <= 0) return got < 0 && errno == EINTR;
  /* The sandboxes that these lines name are among those that have connected before. */
  accept_all(listener);
  used += (size_t)got;
  char *line = buffer;
  for (char *end; (end = memchr(line, '\n', used)) != NULL; line = end + 1) {
    *end = '\0';
    obey(line);
    used -= (size_t)(end + 1 - line);
  }
  memmove(buffer, line, used);
  /* A line that fills the buffer is no command. */
  if (used == sizeof buffer) used = 0;
  return 1;
}

int main(int argc, char **argv) {
  if (argc < 2) return dprintf(STDERR_FILENO, "usage: isopod-spawner SOCKET [PATH...]\n"), EXIT_FAILURE;
  /* A sandbox inherits what this process has. */
  syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  int children = high_descriptor(watch_children());
  if (children < 0) fail("watch children");
  if (argc > 2 && geteuid() == 0 && keep_mounts(argv + 2, argc - 2) < 0) fail("leave mounts");
  int listener = high_descriptor(listen_at(argv[1]));
  if (listener < 0) fail(argv[1]);
  struct pollfd watched[WATCHED] = {
      [CONTROL] = {.fd = STDIN_FILENO, .events = POLLIN},
      [CHILDREN] = {.fd = children, .events = POLLIN},
      [CONNECTIONS] = {.fd = listener, .events = POLLIN},
  };
  printf("listening\n");
  for (;;) {
    int found = poll(watched, WATCHED, -1);
    if (found < 0 && errno == EINTR) continue;
    if (found < 0) fail("poll");
    struct signalfd_siginfo seen;
    while (read(children, &seen, sizeof seen) > 0) continue;
    reap_sandboxes();
    if (watched[CONTROL].revents != 0 && !read_control(listener)) break;
    if (watched[CONNECTIONS].revents != 0) accept_all(listener);
  }
  kill_sandboxes();
  unlink(argv[1]);
  return EXIT_SUCCESS;
}
