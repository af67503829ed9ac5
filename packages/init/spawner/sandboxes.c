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

#include "fail.h"
#include "namespaces.h"
#include "steps.h"

#define MAX_SANDBOXES 4096
#define ID_SIZE 65
#define MAX_MESSAGE 800
#define FIRST_FREE 16
/* The worker sends the id as soon as its event loop sees the connection, and may be busy until then. */
#define PATIENCE_SECONDS 30

static struct sandbox {
  pid_t pid; /* 0 for an unused place */
  int messages;
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

_Noreturn static void become_sandbox(int connection, int messages) {
  sigset_t none;
  sigemptyset(&none);
  for (int i = 1; i < NSIG; i++) signal(i, SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, NULL);
  /* A session of its own, so that no signal of a terminal reaches it. */
  setsid();
  if (dup2(connection, STDIN_FILENO) < 0 || dup2(connection, STDOUT_FILENO) < 0 || dup2(messages, STDERR_FILENO) < 0) {
    _exit(EXIT_NOT_STARTED);
  }
  settle_first_process();
  carry_out(STDIN_FILENO);
}

static void report_failure(const char *id, const char *why) {
  printf("ended %s exit %d %s\n", id, EXIT_NOT_STARTED, why);
}

static int is_id(const char *text) {
  return strspn(text, "0123456789abcdef") == ID_SIZE - 1 && text[ID_SIZE - 1] == '\0';
}

void start_sandbox(int connection) {
  struct sandbox *one = sandboxes, made = {.messages = -1};
  struct timeval patience = {.tv_sec = PATIENCE_SECONDS}, none = {0};
  while (one < sandboxes + MAX_SANDBOXES && one->pid != 0) one++;
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  /* The worker sees the end of the connection. */
  if (!read_all(connection, made.id, ID_SIZE) || !is_id(made.id)) return;
  if (one == sandboxes + MAX_SANDBOXES) return report_failure(made.id, "too many sandboxes");
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none);
  made.messages = high_descriptor(memfd_create("messages", MFD_CLOEXEC));
  made.pid = made.messages < 0 ? -1 : fork_first_process();
  if (made.pid == 0) become_sandbox(connection, made.messages);
  if (made.pid < 0) {
    report_failure(made.id, strerror(errno));
    close(made.messages);
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
  sandbox->pid = 0;
}

void reap_sandboxes(void) {
  int status;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    for (struct sandbox *one = sandboxes; one < sandboxes + MAX_SANDBOXES; one++) {
      if (one->pid == pid) report_end(one, status);
    }
  }
}

/* Only here, where a process stays until it is waited for, does its number surely mean it. */
void obey(const char *line) {
  const char *id = strchr(line, ' ');
  if (id == NULL || !is_id(++id)) return;
  struct sandbox *one = find(id);
  /* It never was there, or the worker knows that it has ended. */
  if (one == NULL) report_failure(id, "no such sandbox");
  else if (strncmp(line, "kill ", 5) == 0) kill(one->pid, SIGKILL);
}

void kill_sandboxes(void) {
  for (struct sandbox *one = sandboxes; one < sandboxes + MAX_SANDBOXES; one++) {
    if (one->pid != 0) kill(one->pid, SIGKILL);
  }
}
