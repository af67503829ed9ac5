/* What a run uses: differences of the cgroup's counters, or of the processes' own where there is no cgroup. */
#ifndef ISOPOD_METER_H
#define ISOPOD_METER_H

#include <stdint.h>

#include "json.h"

/* UNKNOWN where nothing could be read. Processes are counted without init. */
struct metered {
  int64_t cpu_us;
  int64_t cpu_user_us;
  int64_t cpu_sys_us;
  int64_t max_rss_bytes;
  int64_t memory_bytes;
  int64_t memory_start_bytes;
  int64_t memory_peak_bytes;
  int64_t oom_kills;
  int64_t processes;
  int64_t processes_peak;
  int64_t fork_failures;
  int64_t throttled_us;
};

#define METER_NOTHING \
  {0, 0, 0, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN}

/* Once, before anything ran. */
void meter_open(void);
/* After a reset: what the container still holds is no later run's doing. */
void meter_reset(void);
void meter_start(void);
struct metered meter_sample(void);
/* CPU time since meter_start. */
int64_t meter_cpu_us(void);
/* The whole run; call it when every process is reaped. */
struct metered meter_stop(void);

#endif
