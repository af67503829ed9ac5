#define _GNU_SOURCE
#include "files/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>

#include "files/clear_directory.h"
#include "frames/wire.h"

/* Missing in some C libraries; a kernel without them fails with EINVAL. */
#ifndef F_GET_RW_HINT
#define F_GET_RW_HINT 1035
#define F_SET_RW_HINT 1036
#endif

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

static void count_used(int fd, uint64_t *blocks, uint64_t *files) {
  struct statvfs status;
  *blocks = *files = UINT64_MAX;
  if (fstatvfs(fd, &status) < 0) return;
  *blocks = status.f_blocks - status.f_bfree;
  *files = status.f_files - status.f_ffree;
}

void mounts_open(void) {
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

/* The expected lifetime of written data: one of six values, stored in the inode, where a program could hide a message. */
static int restore_write_hint(size_t i) {
  uint64_t hint;
  int fd = mounts[i].fd;
  if (!mounts[i].has_write_hint) return 0;
  if (fcntl(fd, F_GET_RW_HINT, &hint) < 0) return -1;
  if (hint == mounts[i].write_hint) return 0;
  if (fcntl(fd, F_SET_RW_HINT, &mounts[i].write_hint) < 0 || fcntl(fd, F_GET_RW_HINT, &hint) < 0) return -1;
  return hint == mounts[i].write_hint ? 0 : -1;
}

/* Times and flags like "no dump": a program can set them on everything it owns, including the mounts. */
static int restore_attributes(size_t i) {
  static const struct timespec now[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};
  int flags, fd = mounts[i].fd;
  /* Owned by another user, so no program could have changed it. */
  if (futimens(fd, now) < 0 && errno != EPERM && errno != EACCES) return -1;
  if (!mounts[i].has_flags) return 0;
  if (ioctl(fd, FS_IOC_GETFLAGS, &flags) < 0) return -1;
  if (flags == mounts[i].flags) return 0;
  if (ioctl(fd, FS_IOC_SETFLAGS, &mounts[i].flags) < 0 || ioctl(fd, FS_IOC_GETFLAGS, &flags) < 0) return -1;
  return flags == mounts[i].flags ? 0 : -1;
}

int mounts_clear(void) {
  for (size_t i = 0; i < MOUNTS; i++) {
    /* This container has no writable mount at a path that did not exist at the start. */
    if (mounts[i].fd < 0) continue;
    if (clear_directory(mounts[i].fd, mounts[i].mode) < 0 || restore_attributes(i) < 0 || restore_write_hint(i) < 0)
      return -1;
  }
  return 0;
}

int mounts_hold_more(void) {
  for (size_t i = 0; i < MOUNTS; i++) {
    uint64_t blocks, files;
    if (mounts[i].fd < 0) continue;
    count_used(mounts[i].fd, &blocks, &files);
    if (blocks > mounts[i].blocks || files > mounts[i].files) return 1;
  }
  return 0;
}
