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

/* Becomes the program; on failure writes the errno as an int to `report` and ends. */
_Noreturn void child_run(const struct exec_request *request, const int stdio[3], int report);

#endif
