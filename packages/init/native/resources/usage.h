/* Measures a run: differences of the cgroup's counters, or of the processes' own where there is no cgroup. */
#ifndef ISOPOD_USAGE_H
#define ISOPOD_USAGE_H

#include <stdint.h>

#include "common/util.h"

/* UNKNOWN where a value cannot be read. Processes are counted without init and zygote. */
struct usage {
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

#define USAGE_UNKNOWN \
  {0, 0, 0, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN}

/* Call once, before any program has run. */
void usage_open(void);
/* Call after a reset: memory that the container still holds is not charged to later runs. */
void usage_reset(void);
void usage_start(void);
struct usage usage_sample(void);
/* CPU time since usage_start. */
int64_t usage_cpu_us(void);
/* Usage of the whole run; call it when every process is reaped. */
struct usage usage_stop(void);

#endif
