#define _GNU_SOURCE
#include "process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/util.h"

/* A killed process needs CPU time to end; with a small quota that takes long. */
#define KILL_TIMEOUT_US (20 * 1000000ll)
/* Rounds of killing without SIGSTOP; later rounds stop all processes first. */
#define ROUNDS_UNHELD 4

struct reaped reaped;
struct standby standby;

void reap_reset(void) {
  reaped = (struct reaped){0};
}

static int64_t microseconds(struct timeval time) {
  return (int64_t)time.tv_sec * 1000000 + time.tv_usec;
}

int reap_pending(void) {
  for (;;) {
    int status;
    struct rusage usage;
    pid_t pid = wait4(-1, &status, WNOHANG, &usage);
    if (pid < 0 && errno == EINTR) continue;
    if (pid < 0) return -1;
    if (pid == 0) return 0;
    reaped.user_us += microseconds(usage.ru_utime);
    reaped.sys_us += microseconds(usage.ru_stime);
    int64_t rss = (int64_t)usage.ru_maxrss * 1024;
    if (rss > reaped.max_rss_bytes) reaped.max_rss_bytes = rss;
    if (pid == standby.waiting) standby.waiting = 0;
    if (pid == standby.zygote) standby.zygote = 0;
    if (pid == reaped.main_pid) {
      reaped.main_ended = 1;
      reaped.main_status = status;
    }
  }
}

static int kill_other(const char *name, unsigned char type, void *context) {
  int *others = context;
  (void)type;
  long pid = name[0] >= '1' && name[0] <= '9' ? strtol(name, NULL, 10) : 0;
  if (pid <= 1 || pid == standby.zygote) return 0;
  ++*others;
  kill((pid_t)pid, SIGKILL);
  return 0;
}

/* Kills all processes except init and the zygote; returns how many there were, or -1 if unknown. */
static int kill_others(int held) {
  static char entries[8192] __attribute__((aligned(8)));
  int others = 0, proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (proc < 0) return -1;
  /* A signal to all processes reaches every one at once, and so stops processes that fork faster than they are found. */
  if (held) kill(-1, SIGSTOP);
  int listed = each_entry(proc, entries, sizeof entries, kill_other, &others);
  if (held && standby.zygote > 0) kill(standby.zygote, SIGCONT);
  close(proc);
  return listed < 0 ? -1 : others;
}

/* Like kill_everyone, but spares the zygote: it kills processes one by one, and fails if that takes too long. */
static int kill_all_but_zygote(int64_t deadline) {
  for (int round = 0; standby.zygote != 0 && now_us() < deadline; round++) {
    reap_pending();
    int others = kill_others(round >= ROUNDS_UNHELD);
    if (others <= 0) return others;
    reap_pending();
    nanosleep(&(struct timespec){.tv_nsec = (round < ROUNDS_UNHELD ? 100 : 2000) * 1000}, NULL);
  }
  return -1;
}

int kill_everyone(void) {
  int64_t deadline = now_us() + KILL_TIMEOUT_US;
  if (standby.zygote != 0 && kill_all_but_zygote(deadline) == 0) return 0;
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  do {
    kill(-1, SIGKILL);
    if (reap_pending() < 0) return 0;
    /* Bounded, because the SIGCHLD of a child that ended in between may be consumed already. */
    sigtimedwait(&children, NULL, &(struct timespec){.tv_nsec = 5 * 1000 * 1000});
  } while (now_us() < deadline);
  /* Init itself may have been delayed while the last processes ended. */
  return reap_pending() < 0 ? 0 : -1;
}
