/* From fork to exec. */
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

/* What the child tells before it becomes the program, and of what its `value` is. */
enum child_word {
  CHILD_HELD,       /* the limit of open files, as the kernel has it */
  CHILD_FAILED,     /* the errno that stopped it */
  CHILD_UNCONFINED, /* the errno with which the kernel refused to confine it: no program's doing */
};

struct child_report {
  uint32_t word;
  uint32_t value;
};

/* Where RLIMIT_CPU stands behind init's own watch: a second later, so that the cause is init's to tell. */
static inline uint64_t cpu_seconds(const struct exec_request *request) {
  return request->cpu_ms / 1000 + (request->cpu_ms % 1000 != 0) + 1;
}

/*
 * Becomes the program, after one report of its limit; on failure reports the errno and ends. `control`, if there is one,
 * becomes the last descriptor that the program may have, so that its first ones have the numbers that they always have.
 */
_Noreturn void child_run(const struct exec_request *request, const int stdio[3], int control, int report);

#endif
