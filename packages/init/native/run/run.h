/* One run: from exec to done. */
#ifndef ISOPOD_RUN_H
#define ISOPOD_RUN_H

#include <stdint.h>

#include "process/child.h"
#include "run/done.h"

enum run_state {
  RUN_IDLE,
  RUN_ACTIVE,   /* the program runs */
  RUN_DRAINING, /* all its processes have ended, its last output is being sent */
};

enum run_state run_state(void);
/* Answers a request that cannot be started. */
void run_refuse(int error);
void run_start(const struct exec_request *request);
void run_end(enum cause cause);
/* Checks processes, limits and the clock; called on each turn of the loop. */
void run_tick(void);
/* Passes on the program's output, and after the last of it the done frame. */
void run_pump(void);
/* The latest time for the next run_tick, on the clock of now_us; -1 for none. */
int64_t run_next_us(void);

#endif
