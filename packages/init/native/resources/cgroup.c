#define _GNU_SOURCE
#include "resources/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/util.h"

#define ROOT "/sys/fs/cgroup/"
/* v1 reports "no limit" as the largest multiple of a page. */
#define UNLIMITED ((int64_t)1 << 60)

enum source { CPU, CPU_STAT, MEMORY, MEMORY_PEAK, MEMORY_HITS, MEMORY_EVENTS, PIDS, PIDS_PEAK, PIDS_EVENTS, SOURCES };

static const char *const FILES_V1[SOURCES] = {
    [CPU] = "cpuacct/cpuacct.usage",
    [CPU_STAT] = "cpu/cpu.stat",
    [MEMORY] = "memory/memory.usage_in_bytes",
    [MEMORY_PEAK] = "memory/memory.max_usage_in_bytes",
    [MEMORY_HITS] = "memory/memory.failcnt",
    [MEMORY_EVENTS] = "memory/memory.oom_control",
    [PIDS] = "pids/pids.current",
    [PIDS_PEAK] = "pids/pids.peak",
    [PIDS_EVENTS] = "pids/pids.events",
};
static const char *const FILES_V2[SOURCES] = {
    [CPU_STAT] = "cpu.stat",
    [MEMORY] = "memory.current",
    [MEMORY_PEAK] = "memory.peak",
    [MEMORY_EVENTS] = "memory.events",
    [PIDS] = "pids.current",
    [PIDS_PEAK] = "pids.peak",
    [PIDS_EVENTS] = "pids.events",
};

static int version = UNKNOWN;
static int files[SOURCES];

/* Writes the path of a cgroup file; returns whether it can be read. v1 can have cpu and cpuacct together under one name. */
static int path_exists(char *path, size_t size, const char *name) {
  snprintf(path, size, ROOT "%s", name);
  if (access(path, R_OK) == 0) return 1;
  if (strncmp(name, "cpu", 3) != 0) return 0;
  snprintf(path, size, ROOT "cpu,cpuacct%s", strchr(name, '/'));
  return access(path, R_OK) == 0;
}

/* One number, or UNKNOWN for "max", "-1" and anything that is not a number. */
static int64_t parse_limit(const char *text) {
  char *end;
  errno = 0;
  int64_t value = strtoll(text, &end, 10);
  return errno != 0 || end == text || value < 0 || value >= UNLIMITED ? UNKNOWN : value;
}

/* The number after `key` in lines of "key number". */
static int64_t parse_field(const char *text, const char *key) {
  size_t length = strlen(key);
  for (const char *line = text; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
    if (*line == '\n') line++;
    if (strncmp(line, key, length) == 0 && line[length] == ' ') return parse_limit(line + length + 1);
  }
  return UNKNOWN;
}

static int64_t read_limit(const char *name) {
  char path[128], text[128];
  if (!path_exists(path, sizeof path, name) || read_small(path, text, sizeof text) < 0) return UNKNOWN;
  return parse_limit(text);
}

/* Like read_limit, but 0 for a counter without a limit; UNKNOWN if there is no counter. */
static int64_t read_limit_or_none(const char *name) {
  char path[128];
  int64_t limit = read_limit(name);
  return limit < 0 && path_exists(path, sizeof path, name) ? 0 : limit;
}

static int read_open(enum source source, char *text, size_t size) {
  if (files[source] < 0) return 0;
  ssize_t got = pread(files[source], text, size - 1, 0);
  if (got <= 0) return 0;
  text[got] = '\0';
  return 1;
}

static int64_t number(enum source source) {
  char text[64];
  return read_open(source, text, sizeof text) ? parse_limit(text) : UNKNOWN;
}

static int64_t divided(int64_t value, int64_t by) {
  return value < 0 ? UNKNOWN : value / by;
}

void cgroup_open(void) {
  if (access(ROOT "cgroup.controllers", F_OK) == 0) version = 2;
  else if (access(ROOT "memory", F_OK) == 0 || access(ROOT "pids", F_OK) == 0) version = 1;
  const char *const *names = version == 2 ? FILES_V2 : FILES_V1;
  for (int i = 0; i < SOURCES; i++) {
    char path[128];
    int there = version > 0 && names[i] != NULL && path_exists(path, sizeof path, names[i]);
    files[i] = there ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  }
}

int cgroup_version(void) {
  return version;
}

struct cgroup_limits cgroup_limits(void) {
  struct cgroup_limits limits = {version, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN};
  if (version == 1) {
    limits.memory_bytes = read_limit("memory/memory.limit_in_bytes");
    limits.memory_swap_bytes = read_limit_or_none("memory/memory.memsw.limit_in_bytes");
    limits.cpu_quota_us = read_limit("cpu/cpu.cfs_quota_us");
    limits.cpu_period_us = read_limit("cpu/cpu.cfs_period_us");
    limits.pids_max = read_limit("pids/pids.max");
  } else if (version == 2) {
    char text[128];
    limits.memory_bytes = read_limit("memory.max");
    int64_t swap = read_limit("memory.swap.max");
    if (limits.memory_bytes >= 0 && swap >= 0) limits.memory_swap_bytes = limits.memory_bytes + swap;
    else if (swap < 0) limits.memory_swap_bytes = read_limit_or_none("memory.swap.max");
    limits.pids_max = read_limit("pids.max");
    if (read_small(ROOT "cpu.max", text, sizeof text) > 0) {
      limits.cpu_quota_us = parse_limit(text);
      char *space = strchr(text, ' ');
      if (space != NULL) limits.cpu_period_us = parse_limit(space + 1);
    }
  }
  return limits;
}

int64_t cgroup_cpu_us(void) {
  char text[1024];
  if (version == 1) return divided(number(CPU), 1000);
  return read_open(CPU_STAT, text, sizeof text) ? parse_field(text, "usage_usec") : UNKNOWN;
}

static void read_cpu(struct cgroup_usage *usage) {
  char text[1024];
  int stat = read_open(CPU_STAT, text, sizeof text);
  if (version == 1) {
    usage->cpu_us = divided(number(CPU), 1000);
    if (stat) usage->throttled_us = divided(parse_field(text, "throttled_time"), 1000);
  } else if (stat) {
    usage->cpu_us = parse_field(text, "usage_usec");
    usage->throttled_us = parse_field(text, "throttled_usec");
  }
}

struct cgroup_usage cgroup_usage(void) {
  char text[1024];
  struct cgroup_usage usage;
  memset(&usage, 0xff, sizeof usage); /* UNKNOWN everywhere */
  if (version < 0) return usage;
  read_cpu(&usage);
  usage.memory_bytes = number(MEMORY);
  usage.memory_peak_bytes = number(MEMORY_PEAK);
  if (read_open(MEMORY_EVENTS, text, sizeof text)) {
    usage.oom_kills = parse_field(text, "oom_kill");
    usage.memory_limit_hits = version == 1 ? number(MEMORY_HITS) : parse_field(text, "max");
  }
  usage.pids = number(PIDS);
  usage.pids_peak = number(PIDS_PEAK);
  if (read_open(PIDS_EVENTS, text, sizeof text)) usage.fork_failures = parse_field(text, "max");
  return usage;
}

int64_t cgroup_headroom(void) {
  char path[128], text[8192];
  int64_t limit = read_limit(version == 1 ? "memory/memory.limit_in_bytes" : "memory.max");
  int64_t used = number(MEMORY);
  if (version < 0 || limit < 0 || used < 0) return UNKNOWN;
  /* The kernel reclaims page cache before it kills. */
  if (path_exists(path, sizeof path, version == 1 ? "memory/memory.stat" : "memory.stat") &&
      read_small(path, text, sizeof text) > 0) {
    int64_t inactive = parse_field(text, version == 1 ? "total_inactive_file" : "inactive_file");
    int64_t active = parse_field(text, version == 1 ? "total_active_file" : "active_file");
    if (inactive > 0) used -= inactive;
    if (active > 0) used -= active;
  }
  return limit > used ? limit - used : 0;
}
