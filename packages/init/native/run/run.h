/* One run: from exec to done. */
#ifndef ISOPOD_RUN_H
#define ISOPOD_RUN_H

#include <stdint.h>

#include "process/child.h"
#include "run/done.h"

enum run_state {
  RUN_IDLE,
  RUN_ACTIVE,   /* the program runs */
  RUN_DRAINING, /* all its processes are dead, its last output is on its way */
};

enum run_state run_state(void);
/* Answers a request that starts nothing. */
void run_refuse(int error);
void run_start(const struct exec_request *request);
void run_end(enum cause cause);
/* Looks at processes, limits and the clock; called at each turn of the loop. */
void run_tick(void);
/* Moves what the program wrote; queues done when that was the last of it. */
void run_pump(void);
/* When run_tick must be called at the latest, on the clock of now_us; -1 for never. */
int64_t run_next_us(void);

#endif
