#ifndef ISOPOD_DONE_H
#define ISOPOD_DONE_H

#include <stdint.h>

#include "resources/usage.h"

/* What ended a run; the first cause counts. */
enum cause { CAUSE_EXIT, CAUSE_TIMEOUT, CAUSE_CPU, CAUSE_OUTPUT, CAUSE_MEMORY, CAUSE_KILL };

struct done {
  enum cause cause;
  int status; /* as waitpid returns it */
  int64_t wall_us;
  struct usage usage;
  uint64_t total[2];
  int truncated[2];
  int spawn_error; /* errno, 0 for none */
};

/* Queues the done frame. */
void done_send(const struct done *done);

#endif
