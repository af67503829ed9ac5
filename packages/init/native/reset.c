#define _GNU_SOURCE
#include "reset.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "cgroup.h"
#include "clear_directory.h"
#include "ipc.h"
#include "json.h"
#include "snapshot.h"
#include "process.h"
#include "usage.h"
#include "preload.h"
#include "put.h"
#include "sockets.h"
#include "util.h"
#include "wire.h"

/* Newer than some C libraries; what the kernel has not it answers with EINVAL. */
#ifndef F_GET_RW_HINT
#define F_GET_RW_HINT 1035
#define F_SET_RW_HINT 1036
#endif

#define PROCESS_PATIENCE_US 1000000
#define HELD_PATIENCE_US 500000

static const char *const PATHS[] = {WORKSPACE, "/tmp", "/dev/shm"};
#define MOUNTS (sizeof PATHS / sizeof *PATHS)
static struct {
  int fd;
  mode_t mode;
  int flags, has_flags;
  uint64_t write_hint;
  int has_write_hint;
  uint64_t blocks, files; /* in use */
} mounts[MOUNTS];
static struct sockets sockets_at_first;

static void count_used(int fd, uint64_t *blocks, uint64_t *files) {
  struct statvfs status;
  *blocks = *files = UINT64_MAX;
  if (fstatvfs(fd, &status) < 0) return;
  *blocks = status.f_blocks - status.f_bfree;
  *files = status.f_files - status.f_ffree;
}

void reset_baseline(void) {
  usage_open();
  sockets_at_first = sockets_now();
}

void reset_open(void) {
  reset_baseline();
  for (size_t i = 0; i < MOUNTS; i++) {
    struct stat status;
    mounts[i].fd = open(PATHS[i], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (mounts[i].fd >= 0 && fstat(mounts[i].fd, &status) == 0) mounts[i].mode = status.st_mode & 07777;
    if (mounts[i].fd < 0) continue;
    mounts[i].has_flags = ioctl(mounts[i].fd, FS_IOC_GETFLAGS, &mounts[i].flags) == 0;
    mounts[i].has_write_hint = fcntl(mounts[i].fd, F_GET_RW_HINT, &mounts[i].write_hint) == 0;
    count_used(mounts[i].fd, &mounts[i].blocks, &mounts[i].files);
  }
}

static int is_other_process(const char *name, unsigned char type, void *context) {
  (void)type;
  (void)context;
  if (name[0] < '1' || name[0] > '9' || strcmp(name, "1") == 0) return 0;
  return standby.zygote == 0 || strtol(name, NULL, 10) != standby.zygote;
}

/*
 * Whether the kernel counts more tasks than the list has shown. Beside one that is spared not all can be killed at once, and
 * a list that is read while processes come and go can miss some.
 */
static int is_other_task(void) {
  int64_t tasks = standby.zygote != 0 ? cgroup_usage().pids : UNKNOWN;
  return tasks > 2;
}

/* Also processes that are not ours to reap, such as those an operator has put into the container. */
static const char *no_processes(void) {
  static char entries[8192] __attribute__((aligned(8)));
  int64_t deadline = now_us() + PROCESS_PATIENCE_US;
  int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (proc < 0) return "unreadable";
  int other;
  for (;;) {
    other = each_entry(proc, entries, sizeof entries, is_other_process, NULL);
    if (other == 0) other = is_other_task();
    if (other <= 0 || now_us() >= deadline) break;
    if (kill_everyone() < 0) break;
    nanosleep(&(struct timespec){.tv_nsec = 5 * 1000 * 1000}, NULL);
  }
  close(proc);
  return other == 0 ? NULL : other > 0 ? "processes" : "unreadable";
}

/* How long the kernel is to expect what is written to live: one of six values, which an inode keeps. */
static int restore_write_hint(size_t i) {
  uint64_t hint;
  int fd = mounts[i].fd;
  if (!mounts[i].has_write_hint) return 0;
  if (fcntl(fd, F_GET_RW_HINT, &hint) < 0) return -1;
  if (hint == mounts[i].write_hint) return 0;
  if (fcntl(fd, F_SET_RW_HINT, &mounts[i].write_hint) < 0 || fcntl(fd, F_GET_RW_HINT, &hint) < 0) return -1;
  return hint == mounts[i].write_hint ? 0 : -1;
}

/* Times, and flags like «no dump»: a program can set those of what it owns, the mounts themselves too. */
static int restore_attributes(size_t i) {
  static const struct timespec now[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};
  int flags, fd = mounts[i].fd;
  /* Not ours, so no program could have changed it. */
  if (futimens(fd, now) < 0 && errno != EPERM && errno != EACCES) return -1;
  if (!mounts[i].has_flags) return 0;
  if (ioctl(fd, FS_IOC_GETFLAGS, &flags) < 0) return -1;
  if (flags == mounts[i].flags) return 0;
  if (ioctl(fd, FS_IOC_SETFLAGS, &mounts[i].flags) < 0 || ioctl(fd, FS_IOC_GETFLAGS, &flags) < 0) return -1;
  return flags == mounts[i].flags ? 0 : -1;
}

int reset_files(void) {
  for (size_t i = 0; i < MOUNTS; i++) {
    /* What was not there at the start is no writable mount of this container. */
    if (mounts[i].fd < 0) continue;
    if (clear_directory(mounts[i].fd, mounts[i].mode) < 0 || restore_attributes(i) < 0 || restore_write_hint(i) < 0)
      return -1;
  }
  return 0;
}

/* Files without a name, and sockets: with no process left, only what is on its way through a socket can hold them. */
static const char *held(const struct sockets *sockets) {
  if (sockets->used > sockets_at_first.used) return "sockets";
  for (size_t i = 0; i < MOUNTS; i++) {
    uint64_t blocks, files;
    if (mounts[i].fd < 0) continue;
    count_used(mounts[i].fd, &blocks, &files);
    if (blocks > mounts[i].blocks || files > mounts[i].files) return "files";
  }
  return NULL;
}

static const char *nothing_held(void) {
  int64_t deadline = now_us() + HELD_PATIENCE_US;
  for (;;) {
    struct sockets sockets = sockets_now();
    /* They would stay for a minute, and the next program could not have their ports. */
    if (sockets.lingering > sockets_at_first.lingering) return "sockets";
    const char *left = held(&sockets);
    /* Some may have been its maker's, and closed meanwhile. */
    if (left == NULL && sockets.used < sockets_at_first.used) sockets_at_first = sockets;
    if (left == NULL || now_us() >= deadline) return left;
    sockets_find_lost();
    nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
  }
}

static const char *clean_up(void) {
  if (kill_everyone() < 0) return "processes";
  preload_let_go();
  const char *left = no_processes();
  if (left == NULL && reset_files() < 0) left = "files";
  if (left == NULL && ipc_remove() < 0) left = "ipc";
  if (left == NULL) left = nothing_held();
  /* Before there is a next fork, whose pages are its own. */
  usage_reset();
  if (left == NULL) left = preload_refork();
  return left;
}

static int clean(void) {
  const char *left = clean_up();
  put_take_failure();
  json_begin();
  json_flag("clean", left == NULL);
  json_word("reason", left);
  json_send(FRAME_RESET_DONE);
  return left == NULL;
}

void reset(void) {
  snapshot_drop();
  clean();
}

void reset_and_restore(void) {
  if (!clean()) fatal("init", ENOTRECOVERABLE);
  snapshot_restore();
}
