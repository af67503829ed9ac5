#define _GNU_SOURCE
#include "sandboxes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "steps.h"

#define MAX_SANDBOXES 4096
#define ID_SIZE 65
#define MAX_INFO 1024
#define MAX_MESSAGE 800
#define FIRST_FREE 16
/* The worker sends the id as soon as its event loop sees the connection, and may be busy until then. */
#define PATIENCE_SECONDS 30

static struct sandbox {
  pid_t pid; /* of bubblewrap, and of init once it is settled; 0 for an unused place */
  int messages, info; /* info is -1 once it is settled */
  char id[ID_SIZE];
} sandboxes[MAX_SANDBOXES];

int high_descriptor(int fd) {
  if (fd < 0) return fd;
  int moved = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE);
  close(fd);
  return moved;
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
  for (int i = 1; i < NSIG; i++) signal(i, SIG_DFL);
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

void start_sandbox(int connection) {
  struct sandbox *one = sandboxes, made = {.messages = -1, .info = -1};
  struct timeval patience = {.tv_sec = PATIENCE_SECONDS}, none = {0};
  while (one < sandboxes + MAX_SANDBOXES && one->pid != 0) one++;
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  /* The worker sees the end of the connection. */
  if (!read_all(connection, made.id, ID_SIZE) || !is_id(made.id)) return;
  if (one == sandboxes + MAX_SANDBOXES) return report_failure(made.id, "too many sandboxes");
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none);
  made.messages = high_descriptor(memfd_create("messages", MFD_CLOEXEC));
  made.info = high_descriptor(memfd_create("info", MFD_CLOEXEC));
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

void reap_sandboxes(void) {
  int status;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    struct sandbox *one = find_child(pid);
    if (one != NULL) report_end(one, status);
  }
}

/*
 * Ends bubblewrap, so that init becomes a child of this process. If bubblewrap has waited for init already, the number may belong to
 * another process by now: then it is no child, or one that is known. Returns whether init was adopted.
 */
static int adopt_init(struct sandbox *one) {
  char info[MAX_INFO + 1];
  ssize_t got = pread(one->info, info, MAX_INFO, 0);
  info[got > 0 ? got : 0] = '\0';
  const char *field = strstr(info, "\"child-pid\":");
  int init = field == NULL ? 0 : atoi(field + strlen("\"child-pid\":")), status, last;
  /* Settled before, or not bubblewrap: reap reports its end. */
  if (init <= 1 || kill(one->pid, SIGKILL) < 0) return 0;
  while (waitpid(one->pid, &status, 0) < 0 && errno == EINTR) continue;
  pid_t ended = find_child(init) != NULL ? -1 : waitpid(init, &last, WNOHANG);
  if (ended != 0) {
    report_end(one, ended == init ? last : status);
    return 0;
  }
  one->pid = init;
  close(one->info);
  one->info = -1;
  return 1;
}

/* Before it is settled, the end of bubblewrap would leave init behind. */
static void end(struct sandbox *one) {
  if (one->info >= 0) adopt_init(one);
  /* It may have ended by then. */
  if (one->pid != 0) kill(one->pid, SIGKILL);
}

/* Only here, where a process stays until it is waited for, does its number surely mean it. */
void obey(const char *line) {
  const char *id = strchr(line, ' ');
  if (id == NULL || !is_id(++id)) return;
  struct sandbox *one = find(id);
  /* It never was there, or the worker knows that it has ended. */
  if (one == NULL) report_failure(id, "no such sandbox");
  else if (strncmp(line, "kill ", 5) == 0) end(one);
  else if (strncmp(line, "settle ", 7) == 0 && adopt_init(one)) printf("settled %s\n", one->id);
}

void kill_sandboxes(void) {
  for (struct sandbox *one = sandboxes; one < sandboxes + MAX_SANDBOXES; one++) {
    if (one->pid != 0) end(one);
  }
}
