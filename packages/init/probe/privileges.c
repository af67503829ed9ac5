#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include "probe.h"

static const char *field(const char *status, const char *name) {
  const char *at = strstr(status, name);
  return at == NULL ? NULL : at + strlen(name) + strspn(at + strlen(name), "\t ");
}

/* Looks for a capability in any set, a way to gain one, and another user. */
void capabilities(int count, char **args) {
  (void)count, (void)args;
  static const char *const sets[] = {"\nCapInh:", "\nCapPrm:", "\nCapEff:", "\nCapBnd:", "\nCapAmb:"};
  char status[8192];
  if (slurp("/proc/self/status", status, sizeof status) < 0) {
    untried("/proc/self/status cannot be read: %s", strerror(errno));
    return;
  }
  for (unsigned i = 0; i < sizeof sets / sizeof *sets; i++) {
    const char *value = field(status, sets[i]);
    if (value != NULL && strtoull(value, NULL, 16) != 0) got("%s %.16s", sets[i] + 1, value);
  }
  if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) got("a setuid program could give privileges");
  gid_t nobody = 0;
  if (getuid() == 0 || geteuid() == 0) got("runs as root");
  if (getgid() == 0 || getegid() == 0) got("runs in the group of root");
  if (setresuid(0, 0, 0) == 0) got("became root");
  if (setresgid(0, 0, 0) == 0) got("entered the group of root");
  if (setgroups(1, &nobody) == 0) got("joined the group of root");
  if (chroot("/tmp") == 0) got("changed its root");
  if (chown("/workspace", 0, 0) == 0) got("gave a file away");
  gid_t groups[64];
  int member = getgroups(64, groups);
  for (int i = 0; i < member; i++) {
    if (groups[i] == 0) got("belongs to the group of root");
  }
}

/* All containers share the host's clock. */
void clocks(int count, char **args) {
  (void)count, (void)args;
  struct timespec now;
  struct timeval rough;
  clock_gettime(CLOCK_REALTIME, &now);
  gettimeofday(&rough, NULL);
  /* Sets the present value, which does no harm if it is not refused. */
  if (clock_settime(CLOCK_REALTIME, &now) == 0) got("clock_settime set the clock");
  if (settimeofday(&rough, NULL) == 0) got("settimeofday set the clock");
  struct timex change = {.modes = ADJ_OFFSET, .offset = 0};
  if (adjtimex(&change) >= 0) got("adjtimex moved the clock");
}

/* Signals every visible process; the worker checks that this one and init go on. */
void signals(int count, char **args) {
  (void)count, (void)args;
  static const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGABRT, SIGTERM, SIGUSR1, SIGCHLD, SIGSTOP, SIGTSTP, SIGKILL};
  for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    kill(1, numbers[i]);
    kill(-1, numbers[i] == SIGCHLD ? 0 : numbers[i]);
  }
  /* A descriptor that becomes ready sends a chosen signal to its owner. */
  int ends[2];
  if (pipe(ends) == 0 && fcntl(ends[0], F_SETSIG, SIGKILL) == 0 && fcntl(ends[0], F_SETOWN, 1) == 0) {
    fcntl(ends[0], F_SETFL, O_ASYNC);
    if (write(ends[1], "", 1) == 1) got("init is the owner of a descriptor that tells by SIGKILL");
  }
  fact("alive", getpid());
}
