#define _GNU_SOURCE
#include "resources/usage.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/util.h"
#include "process/process.h"
#include "resources/cgroup.h"

static struct cgroup_usage before;
static int64_t memory_seen, processes_seen, ticks_before;
static int64_t memory_at_first = UNKNOWN, inherited;

struct census {
  int64_t processes;
  int64_t ticks;
};

/* utime, stime, cutime and cstime are fields 14 to 17; the name in brackets can contain anything. */
static int64_t ticks_of(const char *stat) {
  const char *at = strrchr(stat, ')');
  int64_t ticks = 0;
  for (int field = 3; at != NULL && field <= 17; field++) {
    at = strchr(at + 1, ' ');
    if (at != NULL && field >= 14) ticks += strtoll(at + 1, NULL, 10);
  }
  return ticks;
}

static int count_process(const char *name, unsigned char type, void *context) {
  struct census *census = context;
  char path[64], stat[1024];
  (void)type;
  if (name[0] < '1' || name[0] > '9' || strcmp(name, "1") == 0 || strlen(name) > 10) return 0;
  census->processes++;
  snprintf(path, sizeof path, "/proc/%.10s/stat", name);
  if (read_small(path, stat, sizeof stat) > 0) census->ticks += ticks_of(stat);
  return 0;
}

static struct census take_census(void) {
  static char entries[8192] __attribute__((aligned(8)));
  struct census census = {0, 0};
  int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (proc < 0 || each_entry(proc, entries, sizeof entries, count_process, &census) < 0) census.processes = UNKNOWN;
  if (proc >= 0) close(proc);
  return census;
}

static int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static int64_t since(int64_t start, int64_t end) {
  return start < 0 || end < start ? UNKNOWN : end - start;
}

/*
 * The kernel's peaks count from the container's start. If this run has raised one, it is this run's peak; otherwise the
 * largest sample comes closest.
 */
static int64_t peak(int64_t start, int64_t end, int64_t seen) {
  if (end < 0) return seen;
  return start < 0 || end > start || seen > end ? end : seen;
}

/*
 * Pages of the image that an earlier program has read stay charged to this container. The kernel may reclaim them at any time,
 * so the result can be too small; then the largest process is what is known.
 */
static int64_t without_inherited(int64_t bytes) {
  return bytes > inherited ? bytes - inherited : bytes < 0 ? bytes : 0;
}

/* Memory can rise and fall unseen between two samples, but the largest process and OOM kills are always seen. */
static int64_t memory_peak(const struct cgroup_usage *now, int64_t oom_kills) {
  int64_t seen = larger(memory_seen, now->memory_bytes);
  /* A kill at the limit makes the limit this run's peak; a kill without reaching it came from the host. */
  if (oom_kills > 0 && since(before.memory_limit_hits, now->memory_limit_hits) != 0)
    return larger(now->memory_peak_bytes, seen);
  if (seen >= 0) seen = larger(without_inherited(seen), reaped.max_rss_bytes);
  int64_t max = peak(before.memory_peak_bytes, now->memory_peak_bytes, seen);
  return inherited > 0 && max >= 0 ? larger(without_inherited(max), seen) : max;
}

void usage_open(void) {
  memory_at_first = cgroup_usage().memory_bytes;
}

void usage_reset(void) {
  int64_t now = cgroup_usage().memory_bytes;
  inherited = memory_at_first >= 0 && now > memory_at_first ? now - memory_at_first : 0;
}

void usage_start(void) {
  before = cgroup_usage();
  memory_seen = before.memory_bytes;
  processes_seen = UNKNOWN;
  /* CPU time that preloaded processes had used before the run. */
  ticks_before = before.cpu_us < 0 ? take_census().ticks : 0;
}

/* Init and the zygote. */
static int64_t no_program(void) {
  return standby.zygote != 0 ? 2 : 1;
}

/* Summed over all processes, including those that still run. */
static int64_t own_us(void) {
  int64_t ticks = take_census().ticks - ticks_before;
  return reaped.user_us + reaped.sys_us + ticks * 1000000 / sysconf(_SC_CLK_TCK);
}

int64_t usage_cpu_us(void) {
  int64_t now = cgroup_cpu_us();
  if (before.cpu_us >= 0 && now >= 0) return now - before.cpu_us;
  return own_us();
}

struct usage usage_sample(void) {
  struct usage usage = USAGE_UNKNOWN;
  struct cgroup_usage now = cgroup_usage();
  usage.cpu_us = usage_cpu_us();
  usage.memory_bytes = without_inherited(now.memory_bytes);
  usage.processes = (now.pids > 0 ? now.pids : take_census().processes + 1) - no_program();
  memory_seen = larger(memory_seen, now.memory_bytes);
  processes_seen = larger(processes_seen, usage.processes);
  return usage;
}

/* The cgroup's total is exact, but some kernels split it by ticks only; the processes' own times are split exactly. */
static void split_cpu(struct usage *usage, int64_t total) {
  int64_t own = reaped.user_us + reaped.sys_us;
  usage->cpu_us = total >= 0 ? total : larger(own_us(), 0);
  usage->cpu_sys_us = own > 0 ? (int64_t)((double)usage->cpu_us * (double)reaped.sys_us / (double)own) : 0;
  usage->cpu_user_us = usage->cpu_us - usage->cpu_sys_us;
}

struct usage usage_stop(void) {
  struct cgroup_usage now = cgroup_usage();
  struct usage usage = USAGE_UNKNOWN;
  split_cpu(&usage, since(before.cpu_us, now.cpu_us));
  usage.max_rss_bytes = reaped.max_rss_bytes;
  usage.memory_bytes = without_inherited(now.memory_bytes);
  usage.memory_start_bytes = without_inherited(before.memory_bytes);
  usage.oom_kills = since(before.oom_kills, now.oom_kills);
  usage.memory_peak_bytes = memory_peak(&now, usage.oom_kills);
  int64_t pids_peak = peak(before.pids_peak, now.pids_peak, UNKNOWN);
  /* At least the program itself, which may have ended before the first sample. */
  usage.processes_peak = larger(pids_peak > 0 ? pids_peak - no_program() : processes_seen, 1);
  usage.fork_failures = since(before.fork_failures, now.fork_failures);
  usage.throttled_us = since(before.throttled_us, now.throttled_us);
  return usage;
}
