#define _GNU_SOURCE
#include "resources/ready.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/util.h"
#include "frames/json.h"
#include "frames/wire.h"
#include "resources/cgroup.h"

/* The value after "name:" in /proc/self/status, or NULL. */
static const char *status_field(const char *status, const char *name) {
  const char *at = strstr(status, name);
  if (at == NULL) return NULL;
  at += strlen(name);
  return at + strspn(at, "\t ");
}

static int64_t status_number(const char *status, const char *name) {
  const char *value = status_field(status, name);
  return value == NULL ? UNKNOWN : strtoll(value, NULL, 10);
}

/* The union of all sets: a capability of the bounding set can still be gained from a file that grants it. */
static void capabilities(const char *status) {
  static const char *const SETS[] = {"\nCapInh:", "\nCapPrm:", "\nCapEff:", "\nCapBnd:"};
  unsigned long long all = 0;
  int known = 1;
  for (size_t i = 0; i < sizeof SETS / sizeof *SETS; i++) {
    const char *value = status_field(status, SETS[i]);
    known = known && value != NULL && strspn(value, "0123456789abcdef") == 16;
    if (known) all |= strtoull(value, NULL, 16);
  }
  char digits[17];
  snprintf(digits, sizeof digits, "%016llx", all);
  json_word("capabilities", known ? digits : NULL);
}

static void file_system(const char *path, const char *bytes, const char *inodes) {
  struct statvfs status;
  int known = statvfs(path, &status) == 0;
  json_number(bytes, known ? (int64_t)(status.f_blocks * status.f_frsize) : UNKNOWN);
  if (inodes != NULL) json_number(inodes, known && status.f_files > 0 ? (int64_t)status.f_files : UNKNOWN);
}

/* gVisor's status file lacks NoNewPrivs, but prctl reports it. */
static int64_t no_new_privileges(const char *status) {
  int64_t named = status_number(status, "\nNoNewPrivs:");
  return named >= 0 ? named : prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
}

/* All memory of the kernel below this container: the host's, or with gVisor that of the sandbox's cgroup. */
static int64_t memory_total(void) {
  char text[256];
  if (read_small("/proc/meminfo", text, sizeof text) < 0) return UNKNOWN;
  int64_t kib = status_number(text, "MemTotal:");
  return kib < 0 ? UNKNOWN : kib * 1024;
}

static int64_t process_limit(void) {
  struct rlimit now;
  if (getrlimit(RLIMIT_NPROC, &now) < 0 || now.rlim_max == RLIM_INFINITY) return UNKNOWN;
  return (int64_t)now.rlim_max;
}

void ready_send(void) {
  char status[4096];
  if (read_small("/proc/self/status", status, sizeof status) < 0) status[0] = '\0';
  struct cgroup_limits limits = cgroup_limits();
  json_begin();
  json_number("version", WIRE_VERSION);
  json_number("cgroup", limits.version);
  json_number("memoryBytes", limits.memory_bytes);
  json_number("memorySwapBytes", limits.memory_swap_bytes);
  json_number("cpuQuotaUs", limits.cpu_quota_us);
  json_number("cpuPeriodUs", limits.cpu_period_us);
  json_number("pidsMax", limits.pids_max);
  json_number("memoryTotalBytes", memory_total());
  json_number("processLimit", process_limit());
  file_system(WORKSPACE, "workspaceBytes", "workspaceInodes");
  file_system("/tmp", "tmpBytes", NULL);
  file_system("/dev/shm", "shmBytes", NULL);
  json_flag("noNewPrivileges", (int)no_new_privileges(status));
  json_number("seccomp", status_number(status, "\nSeccomp:"));
  json_number("seccompFilters", status_number(status, "\nSeccomp_filters:"));
  capabilities(status);
  json_number("uid", (int64_t)getuid());
  json_number("gid", (int64_t)getgid());
  json_number("pid", getpid());
  json_send(FRAME_READY);
}
