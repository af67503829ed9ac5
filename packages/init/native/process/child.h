/* A child process between fork and exec. */
#ifndef ISOPOD_CHILD_H
#define ISOPOD_CHILD_H

#include <stdint.h>

struct exec_request {
  uint32_t wall_ms;
  uint32_t cpu_ms; /* 0 for none */
  uint32_t stdout_limit;
  uint32_t stderr_limit;
  uint32_t flags;
  uint32_t open_files;
  uint64_t digest; /* of the limit of open files, cwd, argv and env; never 0 */
  const char *cwd;
  char **argv;
  char **env;
};

/* What the child reports before it becomes the program, and the meaning of `value`. */
enum child_word {
  CHILD_HELD,       /* the limit of open files, as the kernel reports it */
  CHILD_FAILED,     /* the errno that stopped it */
  CHILD_UNCONFINED, /* the errno with which the kernel refused to confine it: not the program's fault */
};

struct child_report {
  uint32_t word;
  uint32_t value;
};

/* RLIMIT_CPU in seconds: one above the limit that init enforces, so that init reports the cause. */
static inline uint64_t cpu_seconds(const struct exec_request *request) {
  return request->cpu_ms / 1000 + (request->cpu_ms % 1000 != 0) + 1;
}

/*
 * Reports its limit of open files and becomes the program; on failure reports the errno and ends. `control`, unless -1, becomes
 * the highest descriptor that the program may have, so that the lowest ones stay free.
 */
_Noreturn void child_run(const struct exec_request *request, const int stdio[3], int control, int report);

#endif
