#define _GNU_SOURCE
#include "files/snapshot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/util.h"
#include "files/put.h"
#include "frames/json.h"
#include "frames/wire.h"
#include "resources/cgroup.h"

#define MAX_DEPTH 32
#define ENTRIES_BYTES 2048
/* Memory of the cgroup that stays free for the kernel's own pages and for init. */
#define HEADROOM_BYTES (512 * 1024)

struct snapshot_file {
  uint32_t size;
  uint16_t mode, path_length;
};

/* Takes no memory until it is written to. It has for each file a head, its path with a NUL, and its content. */
static unsigned char store[MAX_SNAPSHOT_BYTES] __attribute__((aligned(4096)));
static size_t used;
static int files;
/* Memory that the cgroup has left for the snapshot; negative if unknown. No other process runs meanwhile. */
static int64_t room;

struct walk {
  int directory, depth, error;
  size_t path_length;
};

static char path[MAX_PATH_BYTES + 1];

static int fail(struct walk *walk, int error) {
  walk->error = error;
  return 1;
}

static int copy_content(int file, size_t size) {
  for (size_t filled = 0; filled < size;) {
    ssize_t got = read(file, store + used + filled, size - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    /* No process runs that could have truncated it. */
    if (got == 0) return EIO;
    filled += (size_t)got;
  }
  used += size;
  return 0;
}

static int copy_file(struct walk *walk, const char *name, size_t path_length) {
  int file = openat(walk->directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat status = {0};
  if (file < 0) return fail(walk, errno);
  int error = fstat(file, &status) < 0 ? errno : 0;
  struct snapshot_file head = {.mode = status.st_mode & 0777, .path_length = (uint16_t)path_length};
  size_t needed = sizeof head + path_length + 1;
  if (error == 0 && (!S_ISREG(status.st_mode) || status.st_size > (off_t)MAX_SNAPSHOT_BYTES)) error = EFBIG;
  if (error == 0 && (size_t)status.st_size + needed > sizeof store - used) error = EFBIG;
  int64_t taken = (int64_t)(needed + (size_t)status.st_size);
  if (error == 0 && room >= 0 && taken + HEADROOM_BYTES > room) error = ENOMEM;
  if (error == 0) {
    if (room >= 0) room -= taken;
    head.size = (uint32_t)status.st_size;
    memcpy(store + used, &head, sizeof head);
    memcpy(store + used + sizeof head, path, path_length + 1);
    used += needed;
    files++;
    error = copy_content(file, head.size);
  }
  close(file);
  return error == 0 ? 0 : fail(walk, error);
}

static int copy_entry(const char *name, unsigned char type, void *context);

/* Copies a directory and closes it; 0 or an errno. */
static int copy_all(int directory, int depth, size_t path_length) {
  char entries[ENTRIES_BYTES] __attribute__((aligned(8)));
  struct walk walk = {.directory = directory, .depth = depth, .path_length = path_length};
  if (directory < 0) return errno;
  if (depth > MAX_DEPTH) walk.error = ENAMETOOLONG;
  else if (each_entry(directory, entries, sizeof entries, copy_entry, &walk) < 0) walk.error = errno;
  close(directory);
  return walk.error;
}

static int copy_directory(struct walk *walk, const char *name, size_t path_length) {
  int directory = openat(walk->directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  int error = copy_all(directory, walk->depth + 1, path_length);
  return error == 0 ? 0 : fail(walk, error);
}

static int copy_entry(const char *name, unsigned char type, void *context) {
  struct walk *walk = context;
  struct stat status;
  if (type == DT_UNKNOWN) {
    if (fstatat(walk->directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0) return fail(walk, errno);
    type = S_ISDIR(status.st_mode) ? DT_DIR : S_ISREG(status.st_mode) ? DT_REG : DT_FIFO;
  }
  if (type != DT_DIR && type != DT_REG) return 0;
  size_t at = walk->path_length, size = strlen(name), slash = at > 0;
  if (at + slash + size > MAX_PATH_BYTES) return fail(walk, ENAMETOOLONG);
  if (slash) path[at] = '/';
  memcpy(path + at + slash, name, size + 1);
  size_t length = at + slash + size;
  return type == DT_DIR ? copy_directory(walk, name, length) : copy_file(walk, name, length);
}

void snapshot_take(int refused) {
  int error = refused;
  if (error == 0) {
    snapshot_drop();
    room = cgroup_headroom();
    /* No child needs it, and forks are cheaper without it. */
    madvise(store, sizeof store, MADV_DONTFORK);
    error = copy_all(open(WORKSPACE, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), 0, 0);
    if (error != 0) snapshot_drop();
  }
  json_begin();
  json_number("files", files);
  json_number("bytes", (int64_t)used);
  json_word("error", error != 0 ? error_name(error) : NULL);
  json_send(FRAME_SNAPSHOT_DONE);
}

void snapshot_restore(void) {
  for (size_t at = 0; at < used;) {
    struct snapshot_file head;
    memcpy(&head, store + at, sizeof head);
    unsigned char *content = store + at + sizeof head + head.path_length + 1;
    /* A copy, because put_begin modifies the path. */
    memcpy(path, store + at + sizeof head, head.path_length + 1u);
    put_begin(path, head.mode, head.size);
    put_bytes(content, head.size);
    put_end();
    at = (size_t)(content - store) + head.size;
  }
}

void snapshot_drop(void) {
  if (used > 0) madvise(store, used, MADV_DONTNEED);
  used = 0;
  files = 0;
}
