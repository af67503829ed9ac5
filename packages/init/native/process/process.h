/* Every process but init: reaping and killing them. */
#ifndef ISOPOD_PROCESS_H
#define ISOPOD_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

/* What the children that were reaped since the last reap_reset used. */
struct reaped {
  pid_t main_pid; /* the program's first process; 0 when none is awaited */
  int main_ended;
  int main_status;
  int64_t user_us;
  int64_t sys_us;
  int64_t max_rss_bytes;
};

extern struct reaped reaped;

/* Processes that stay between runs; 0 for none, also once that one is reaped. */
struct standby {
  pid_t waiting; /* becomes the next run's first process */
  pid_t zygote;  /* forks the next one that waits */
};

extern struct standby standby;

void reap_reset(void);
/* Reaps who is dead by now; -1 when no child is left at all. */
int reap_pending(void);
/*
 * Kills every other process but the one that forks, and reaps until none is left; -1 when some would not die in time, and
 * then that one was not spared.
 */
int kill_everyone(void);

#endif
