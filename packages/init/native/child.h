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
  const char *cwd;
  char **argv;
  char **env;
};

/* What the child tells before it becomes the program. */
struct child_report {
  uint32_t failed; /* 0: `value` is its limit of open files, as the kernel has it; 1: the errno that stopped it */
  uint32_t value;
};

/* Becomes the program, after one report of its limit; on failure reports the errno and ends. */
_Noreturn void child_run(const struct exec_request *request, const int stdio[3], int report);

#endif
