/* Reads the container's own cgroup, v1 or v2, under /sys/fs/cgroup. UNKNOWN where a value cannot be read. */
#ifndef ISOPOD_CGROUP_H
#define ISOPOD_CGROUP_H

#include <stdint.h>

struct cgroup_limits {
  int version; /* 1, 2 or UNKNOWN */
  int64_t memory_bytes;
  int64_t memory_swap_bytes; /* memory and swap together */
  int64_t cpu_quota_us;
  int64_t cpu_period_us;
  int64_t pids_max;
};

/* Counters of the whole container, including init. */
struct cgroup_usage {
  int64_t cpu_us;
  int64_t memory_bytes;
  int64_t memory_peak_bytes;
  int64_t memory_limit_hits; /* how often usage reached the limit */
  int64_t oom_kills;
  int64_t pids;
  int64_t pids_peak;
  int64_t fork_failures;
  int64_t throttled_us;
};

/* Opens the files that are read often. */
void cgroup_open(void);
/* 1, 2 or UNKNOWN. */
int cgroup_version(void);
struct cgroup_limits cgroup_limits(void);
struct cgroup_usage cgroup_usage(void);
int64_t cgroup_cpu_us(void);
/* Memory that can still be charged before the OOM killer acts. */
int64_t cgroup_headroom(void);

#endif
