/*
 * Starts sandboxes for one worker, so that the worker itself need not fork: that takes a large process milliseconds.
 *
 *   isopod-spawner SOCKET
 *
 * Each connection to the socket is one sandbox. It begins with the sandbox's id, 64 hexadecimal digits and NUL, and its steps
 * (steps.h), which may come later. From then on the connection is stdin and stdout of the sandbox's init.
 *
 * stdin    "settle ID", once init runs: ends bubblewrap, which would only wait for init and count as a process of the program.
 *          "kill ID": ends a sandbox. At the end of stdin everything ends.
 * stdout   "settled ID"; "ended ID exit|signal NUMBER MESSAGE", with what the sandbox wrote to stderr, or why there is none
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "steps.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#define MAX_SANDBOXES 4096
#define ID_SIZE 65
#define MAX_INFO 1024
#define MAX_MESSAGE 800
#define BACKLOG 256
#define FIRST_FREE 16
/* The worker sends the id as soon as its event loop sees the connection, and may be busy until then. */
#define PATIENCE_SECONDS 30
/* Pause after the kernel refused a connection, which would otherwise be tried again at once. */
#define REFUSED_PAUSE_MS 10

enum watched { CONTROL, CHILDREN, CONNECTIONS, WATCHED };

static struct sandbox {
  pid_t pid; /* of bubblewrap, and of init once it is settled; 0 for an unused place */
  int messages, info; /* info is -1 once it is settled */
  char id[ID_SIZE];
} sandboxes[MAX_SANDBOXES];

_Noreturn static void fail(const char *what) {
  dprintf(STDERR_FILENO, "isopod-spawner: %s: %s\n", what, strerror(errno));
  exit(EXIT_FAILURE);
}

static int listen_at(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) errno = ENAMETOOLONG, fail(path);
  strcpy(address.sun_path, path);
  unlink(path);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  umask(077);
  if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, BACKLOG) < 0) fail(path);
  return fd;
}

/* Out of the way of the descriptors that a sandbox starts with. */
static int high(int fd) {
  if (fd < 0) return fd;
  int moved = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE);
  close(fd);
  return moved;
}

static int watch_children(void) {
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_SETMASK, &children, NULL);
  signal(SIGPIPE, SIG_IGN);
  return signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Returns whether all bytes came in time. */
static int read_all(int fd, void *buffer, size_t size) {
  for (size_t got = 0; got < size;) {
    ssize_t more = read(fd, (char *)buffer + got, size - got);
    if (more <= 0) return 0;
    got += (size_t)more;
  }
  return 1;
}

_Noreturn static void become_sandbox(int connection, const struct sandbox *own) {
  sigset_t none;
  sigemptyset(&none);
  signal(SIGPIPE, SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, NULL);
  /* A session of its own, so that no signal of a terminal reaches it. */
  setsid();
  if (dup2(connection, STDIN_FILENO) < 0 || dup2(connection, STDOUT_FILENO) < 0 || dup2(own->messages, STDERR_FILENO) < 0 ||
      dup2(own->info, INFO) < 0) {
    _exit(EXIT_NOT_STARTED);
  }
  carry_out(STDIN_FILENO);
}

static void report_failure(const char *id, const char *why) {
  printf("ended %s exit %d %s\n", id, EXIT_NOT_STARTED, why);
}

static int is_id(const char *text) {
  return strspn(text, "0123456789abcdef") == ID_SIZE - 1 && text[ID_SIZE - 1] == '\0';
}

static void start(int connection) {
  struct sandbox *one = sandboxes, made = {.messages = -1, .info = -1};
  struct timeval patience = {.tv_sec = PATIENCE_SECONDS}, none = {0};
  while (one < sandboxes + MAX_SANDBOXES && one->pid != 0) one++;
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  /* The worker sees the end of the connection. */
  if (!read_all(connection, made.id, ID_SIZE) || !is_id(made.id)) return;
  if (one == sandboxes + MAX_SANDBOXES) return report_failure(made.id, "too many sandboxes");
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none);
  made.messages = high(memfd_create("messages", MFD_CLOEXEC));
  made.info = high(memfd_create("info", MFD_CLOEXEC));
  made.pid = made.messages < 0 || made.info < 0 ? -1 : fork();
  if (made.pid == 0) become_sandbox(connection, &made);
  if (made.pid < 0) {
    report_failure(made.id, strerror(errno));
    close(made.messages);
    close(made.info);
    return;
  }
  *one = made;
}

static struct sandbox *find(const char *id) {
  for (struct sandbox *one = sandboxes; one < sandboxes + MAX_SANDBOXES; one++) {
    if (one->pid != 0 && strcmp(one->id, id) == 0) return one;
  }
  return NULL;
}

static void report_end(struct sandbox *sandbox, int status) {
  char message[MAX_MESSAGE + 1];
  ssize_t got = pread(sandbox->messages, message, MAX_MESSAGE, 0);
  size_t length = got > 0 ? (size_t)got : 0;
  for (size_t i = 0; i < length; i++) {
    if (message[i] < ' ' || message[i] > '~') message[i] = ' ';
  }
  message[length] = '\0';
  if (WIFSIGNALED(status)) printf("ended %s signal %d %s\n", sandbox->id, WTERMSIG(status), message);
  else printf("ended %s exit %d %s\n", sandbox->id, WEXITSTATUS(status), message);
  close(sandbox->messages);
  close(sandbox->info);
  sandbox->pid = 0;
}

static struct sandbox *find_child(pid_t pid) {
  for (struct sandbox *one = sandboxes; one < sandboxes + MAX_SANDBOXES; one++) {
    if (one->pid == pid) return one;
  }
  return NULL;
}

static void reap(void) {
  int status;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    struct sandbox *one = find_child(pid);
    if (one != NULL) report_end(one, status);
  }
}

/*
 * Init becomes a child of this process when bubblewrap ends. If bubblewrap has waited for init already, the number may belong to
 * another process by now: then it is no child, or one that is known.
 */
static void settle(struct sandbox *one) {
  char info[MAX_INFO + 1];
  ssize_t got = pread(one->info, info, MAX_INFO, 0);
  info[got > 0 ? got : 0] = '\0';
  const char *field = strstr(info, "\"child-pid\":");
  int init = field == NULL ? 0 : atoi(field + strlen("\"child-pid\":")), status, last;
  /* Settled before, or not bubblewrap: reap reports its end. */
  if (init <= 1 || kill(one->pid, SIGKILL) < 0) return;
  while (waitpid(one->pid, &status, 0) < 0 && errno == EINTR) continue;
  pid_t ended = find_child(init) != NULL ? -1 : waitpid(init, &last, WNOHANG);
  if (ended != 0) {
    report_end(one, ended == init ? last : status);
    return;
  }
  one->pid = init;
  close(one->info);
  one->info = -1;
  printf("settled %s\n", one->id);
}

/* Only here, where a process stays until it is waited for, does its number surely mean it. */
static void obey(const char *line) {
  const char *id = strchr(line, ' ');
  if (id == NULL || !is_id(++id)) return;
  struct sandbox *one = find(id);
  /* It never was there, or the worker knows that it has ended. */
  if (one == NULL) report_failure(id, "no such sandbox");
  else if (strncmp(line, "settle ", 7) == 0) settle(one);
  else if (strncmp(line, "kill ", 5) == 0) kill(one->pid, SIGKILL);
}

static void accept_all(int listener) {
  int connection;
  while ((connection = high(accept4(listener, NULL, NULL, SOCK_CLOEXEC))) >= 0) {
    start(connection);
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

static void kill_all(void) {
  for (struct sandbox *one = sandboxes; one < sandboxes + MAX_SANDBOXES; one++) {
    if (one->pid != 0) kill(one->pid, SIGKILL);
  }
}

int main(int argc, char **argv) {
  if (argc != 2) return dprintf(STDERR_FILENO, "usage: isopod-spawner SOCKET\n"), EXIT_FAILURE;
  /* A sandbox inherits what this process has. */
  syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  int children = high(watch_children());
  if (children < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0) fail("watch children");
  int listener = high(listen_at(argv[1]));
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
    reap();
    if (watched[CONTROL].revents != 0 && !read_control(listener)) break;
    if (watched[CONNECTIONS].revents != 0) accept_all(listener);
  }
  kill_all();
  unlink(argv[1]);
  return EXIT_SUCCESS;
}
