#define _GNU_SOURCE
#include "process/oom_score.h"

#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static int score = -1;
static char own[16];
static size_t own_length;

void oom_score_open(void) {
  /* The files of a process that is not dumpable belong to root. */
  prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  score = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  ssize_t got = score < 0 ? -1 : read(score, own, sizeof own);
  if (got > 0) own_length = (size_t)got;
}

static void set(const char *text, size_t length) {
  if (own_length > 0 && pwrite(score, text, length, 0) < 0) {
    /* Ignored, as the header says. */
  }
}

void oom_score_raise(void) {
  set("1000", strlen("1000"));
}

void oom_score_restore(void) {
  set(own, own_length);
}
