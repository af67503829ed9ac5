#define _GNU_SOURCE
#include "life.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "json.h"
#include "out.h"
#include "util.h"
#include "wire.h"

/* A killed process still needs processor time to end, and a small quota makes that long. */
#define KILL_PATIENCE_US (20 * 1000000ll)
#define LAST_WORDS_MS 1000

struct reaped reaped;

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
    if (pid == reaped.main_pid) {
      reaped.main_ended = 1;
      reaped.main_status = status;
    }
  }
}

int kill_everyone(void) {
  int64_t deadline = now_us() + KILL_PATIENCE_US;
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  do {
    kill(-1, SIGKILL);
    if (reap_pending() < 0) return 0;
    /* Bounded, because the signal of a child that died in between may be consumed already. */
    sigtimedwait(&children, NULL, &(struct timespec){.tv_nsec = 5 * 1000 * 1000});
  } while (now_us() < deadline);
  /* Time may have passed while init itself was held back, and the last of them ended meanwhile. */
  return reap_pending() < 0 ? 0 : -1;
}

_Noreturn void leave(int code) {
  /* As PID 1 this ends the whole namespace, also whoever was forked meanwhile. */
  kill(-1, SIGKILL);
  _exit(code);
}

void fault(const char *where, int error) {
  json_begin();
  json_word("where", where);
  json_word("error", error_name(error));
  json_send(FRAME_FAULT);
}

_Noreturn void fatal(const char *where, int error) {
  kill(-1, SIGKILL);
  fault(where, error);
  out_flush_within(LAST_WORDS_MS);
  leave(EXIT_BROKEN);
}
