#define _GNU_SOURCE
#include "files/put.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/path.h"
#include "frames/fault.h"
#include "resources/cgroup.h"

/* Memory of the cgroup that stays free for the kernel's own pages and for init. */
#define HEADROOM_BYTES (512 * 1024)

static int file = -1;
static int failure;
static int any_failed;

void put_refuse(int error) {
  if (failure == 0) failure = error;
  if (file >= 0) {
    /* Frees the memory of a failed file: half a file is of no use. */
    if (ftruncate(file, 0) < 0) failure = errno;
    close(file);
    file = -1;
  }
}

static int create(char *path, mode_t mode) {
  const char *leaf;
  int directory = open_parent(path, 1, &leaf);
  if (directory < 0) return -1;
  int created = -1;
  /* Removed first, because writing must replace a link of an earlier run instead of following it. */
  if (unlinkat(directory, leaf, 0) == 0 || errno == ENOENT) {
    created = openat(directory, leaf, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  }
  if (created >= 0 && fchmod(created, mode & 0777) < 0) {
    close(created);
    created = -1;
  }
  int error = errno;
  close(directory);
  errno = error;
  return created;
}

void put_begin(char *path, mode_t mode, size_t length) {
  /* Files in tmpfs are charged to the container. While no program runs, the OOM killer could only choose init. */
  int64_t headroom = cgroup_headroom();
  if (headroom >= 0 && (int64_t)length + HEADROOM_BYTES > headroom) {
    put_refuse(ENOMEM);
    return;
  }
  file = create(path, mode);
  if (file < 0) put_refuse(errno);
}

void put_bytes(const unsigned char *bytes, size_t length) {
  while (file >= 0 && length > 0) {
    ssize_t put = write(file, bytes, length);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      put_refuse(errno);
      return;
    }
    bytes += put;
    length -= (size_t)put;
  }
}

void put_end(void) {
  if (file >= 0) close(file);
  file = -1;
  if (failure != 0) {
    fault("put", failure);
    any_failed = 1;
  }
  failure = 0;
}

int put_take_failure(void) {
  int failed = any_failed;
  any_failed = 0;
  return failed;
}
