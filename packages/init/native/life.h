/* Processes and their ends: reaping, killing all, and init's own end. */
#ifndef ISOPOD_LIFE_H
#define ISOPOD_LIFE_H

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

/* Processes that init keeps between runs; 0 for none, and from the moment on that one is reaped. */
struct kept {
  pid_t waiting; /* becomes the next run's first process */
  pid_t zygote;  /* forks the next one that waits */
};

extern struct kept kept;

void reap_reset(void);
/* Reaps who is dead by now; -1 when no child is left at all. */
int reap_pending(void);
/*
 * Kills every other process but the one that forks, and reaps until none is left; -1 when some would not die in time, and
 * then that one was not spared.
 */
int kill_everyone(void);

/* Kills all and ends init. */
_Noreturn void leave(int code);
/* Tells the host, then leaves. `where` is one of the words of src/frames.ts. */
_Noreturn void fatal(const char *where, int error);
/* Tells the host and goes on. */
void fault(const char *where, int error);

#endif
