/* Reaps and kills the processes of the container. */
#ifndef ISOPOD_PROCESS_H
#define ISOPOD_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

/* Usage of the children that were reaped since the last reap_reset. */
struct reaped {
  pid_t main_pid; /* the program's first process; 0 for none */
  int main_ended;
  int main_status;
  int64_t user_us;
  int64_t sys_us;
  int64_t max_rss_bytes;
};

extern struct reaped reaped;

/* Processes that stay between runs; 0 for none or if it has been reaped. */
struct standby {
  pid_t waiting; /* becomes the next run's first process */
  pid_t zygote;  /* forks the next waiting process */
};

extern struct standby standby;

void reap_reset(void);
/* Reaps the children that have ended; -1 when none is left. */
int reap_pending(void);
/*
 * Kills every process but init and the zygote, and reaps until none is left. -1 when some did not end in time; the zygote is
 * killed too then.
 */
int kill_everyone(void);

#endif
