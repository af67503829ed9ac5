#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "probe.h"

#define MAX_TEXT 65536
/* How a user shows that its namespace does not have. */
#define STRANGER 65534

/* The mounts of a container: mount point and required options; one that ends in / stands for all mount points below it. */
static const struct {
  const char *mount_point, *options;
} wanted[] = {
    {"/", "ro"},
    {"/isopod", "ro"},
    {"/workspace", "rw,nosuid,nodev"},
    {"/tmp", "rw,nosuid,nodev"},
    {"/dev/shm", "rw,nosuid,nodev,noexec"},
    {"/dev", "nosuid"},
    {"/dev/pts", "nosuid,noexec"},
    {"/dev/mqueue", "nosuid,nodev,noexec"},
    {"/dev/pts/ptmx", ""},
    {"/dev/console", ""},
    {"/etc/hosts", ""},
    {"/etc/hostname", ""},
    {"/etc/resolv.conf", ""},
    {"/proc", "nosuid,nodev,noexec"},
    {"/proc/", ""},
    {"/sys", "ro,nosuid,nodev,noexec"},
    /* A tmpfs of root that holds the mount points of cgroup v1. */
    {"/sys/fs/cgroup", "nosuid,nodev,noexec"},
    {"/sys/", "ro"},
};
/* Under a rootless engine the runtime cannot create devices, and mounts those of the host. */
static const struct {
  const char *mount_point;
  unsigned major, minor;
} devices_of_host[] = {
    {"/dev/null", 1, 3}, {"/dev/zero", 1, 5}, {"/dev/full", 1, 7}, {"/dev/random", 1, 8}, {"/dev/urandom", 1, 9}, {"/dev/tty", 5, 0},
};
/* Harmful to write to: the engine mounts each read-only over itself. */
static const char *const read_only_views[] = {"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger", "/sys/fs/cgroup"};

static int has(const char *options, const char *option, size_t length) {
  for (const char *at = options; at != NULL; at = strchr(at, ',')) {
    if (*at == ',') at++;
    if (strncmp(at, option, length) == 0 && (at[length] == ',' || at[length] == '\0')) return 1;
  }
  return 0;
}

/* Options that this kernel lacks; empty on every kernel but gVisor's. */
static const char *lacking = "";

static void check_options(const char *mount_point, const char *options, const char *needed) {
  while (*needed != '\0') {
    size_t length = strcspn(needed, ",");
    if (!has(options, needed, length) && !has(lacking, needed, length)) got("%s is mounted without %.*s (%s)", mount_point, (int)length, needed, options);
    needed += length + (needed[length] == ',');
  }
}

static int is_harmless_device(const char *mount_point) {
  for (unsigned i = 0; i < sizeof devices_of_host / sizeof *devices_of_host; i++) {
    if (strcmp(mount_point, devices_of_host[i].mount_point) != 0) continue;
    struct stat status;
    if (stat(mount_point, &status) < 0 || !S_ISCHR(status.st_mode)) return 0;
    return status.st_rdev == makedev(devices_of_host[i].major, devices_of_host[i].minor);
  }
  return 0;
}

static void check(const char *mount_point, const char *options) {
  for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    size_t length = strlen(wanted[i].mount_point);
    int below = length > 1 && wanted[i].mount_point[length - 1] == '/' && strncmp(mount_point, wanted[i].mount_point, length) == 0;
    if (below && *lacking != '\0') return;
    if (below || strcmp(mount_point, wanted[i].mount_point) == 0) {
      check_options(mount_point, options, wanted[i].options);
      return;
    }
  }
  if (!is_harmless_device(mount_point)) got("%s is mounted (%s)", mount_point, options);
}

/* The mode is not compared, because older runtimes use that of the image's folder. */
static void check_owner(const char *mount_point) {
  struct stat status;
  if (stat(mount_point, &status) < 0) {
    got("%s is not there: %s", mount_point, strerror(errno));
    return;
  }
  if (status.st_uid != getuid() || status.st_gid != getgid()) got("%s belongs to %u:%u", mount_point, status.st_uid, status.st_gid);
}

/*
 * Whether a process in here could become the owner of a path that exists. In a user namespace without the owner, no process can,
 * so nothing needs to be covered; `proc` tries to open what lies below.
 */
static int owner_can_come_in(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && (status.st_uid != STRANGER || getuid() == STRANGER);
}

/* Whether the file system that a path leads to is mounted read-only. */
static int is_read_only(const char *path) {
  struct statvfs status;
  return statvfs(path, &status) == 0 && (status.f_flag & ST_RDONLY) != 0;
}

/* Checks that nothing of the host is mounted and that each mount has its options. The argument, if any, lists options that this kernel lacks. */
void mounts(int count, char **args) {
  if (count > 0) lacking = args[0];
  static char text[MAX_TEXT];
  unsigned views = 0, container_mounts = 0;
  if (slurp("/proc/self/mountinfo", text, sizeof text) < 0) {
    untried("the mounts cannot be read: %s", strerror(errno));
    return;
  }
  char *rest;
  for (char *row = strtok_r(text, "\n", &rest); row != NULL; row = strtok_r(NULL, "\n", &rest)) {
    char mount_point[1024], options[1024];
    if (sscanf(row, "%*s %*s %*s %*s %1023s %1023s", mount_point, options) != 2) continue;
    check(mount_point, options);
    container_mounts += strcmp(mount_point, "/workspace") == 0 || strcmp(mount_point, "/isopod") == 0 || strcmp(mount_point, "/tmp") == 0;
    for (unsigned i = 0; i < sizeof read_only_views / sizeof *read_only_views; i++) {
      if (strcmp(mount_point, read_only_views[i]) == 0 && has(options, "ro", 2)) views |= 1u << i;
    }
  }
  static const char *const own[] = {"/workspace", "/tmp", "/dev/shm"};
  for (unsigned i = 0; i < sizeof own / sizeof *own; i++) check_owner(own[i]);
  if (container_mounts < 3) untried("the list of mounts is not that of this container");
  for (unsigned i = 0; i < sizeof read_only_views / sizeof *read_only_views; i++) {
    if ((views & 1u << i) != 0 || *lacking != '\0' || is_read_only(read_only_views[i])) continue;
    if (owner_can_come_in(read_only_views[i])) got("%s is not covered by a read-only view", read_only_views[i]);
  }
}
