/* A child process between fork and exec. It leaves what it shares with init as it is: memory, if `kernel_hides_init`. */
#ifndef ISOPOD_CHILD_H
#define ISOPOD_CHILD_H

#include <stdint.h>

#include "frames/wire.h"

/* Limits of each process of a program, in the order in which the host sent them. */
struct process_limits {
  unsigned count;
  uint32_t resource[MAX_PROCESS_LIMITS]; /* Linux's number, as in RLIMIT_NOFILE */
  int64_t value[MAX_PROCESS_LIMITS];     /* UNKNOWN if it could not be read back */
};

struct exec_request {
  uint32_t wall_ms;
  uint32_t cpu_ms; /* 0 for none */
  uint32_t stdout_limit;
  uint32_t stderr_limit;
  uint32_t flags;
  struct process_limits limits;
  uint64_t digest; /* of limits, cwd, argv and env; never 0 */
  const char *cwd;
  char **argv;
  char **env;
};

/* What the child reports before it becomes the program. */
enum child_event {
  CHILD_LIMITS,     /* its limits, as the kernel has them */
  CHILD_FAILED,     /* the errno that stopped it */
  CHILD_UNCONFINED, /* the errno with which the kernel refused to confine it: not the program's fault */
};

struct child_report {
  enum child_event event;
  int error;
  struct process_limits limits;
};

/* RLIMIT_CPU in seconds: one above the limit that init enforces, so that init reports the cause. */
static inline uint64_t cpu_seconds(const struct exec_request *request) {
  return request->cpu_ms / 1000 + (request->cpu_ms % 1000 != 0) + 1;
}

/*
 * Reports its limits and becomes the program; on failure reports the errno and ends. `control`, unless -1, becomes
 * the highest descriptor that the program may have, so that the lowest ones stay free.
 */
_Noreturn void child_run(const struct exec_request *request, const int stdio[3], int control, int report);

#endif
