#define _GNU_SOURCE
#include "files/fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/exit_init.h"
#include "common/util.h"
#include "files/path.h"
#include "frames/frame_writer.h"
#include "frames/wire.h"

static int file = -1;
static size_t left;

static char kept_path[MAX_PATH_BYTES + 1];
static uint32_t kept_max;
static int is_kept;

static void answer(int status, size_t length) {
  unsigned char head[HEADER_BYTES + 1] = {FRAME_FILE};
  put_u32(head + 1, (uint32_t)length + 1);
  head[HEADER_BYTES] = (unsigned char)status;
  write_bytes(head, sizeof head);
}

void fetch_refuse(int error) {
  answer(error, 0);
}

/* Returns 0, or the errno to report for a file that must not be sent. */
static int unfit(const struct stat *status, uint32_t max) {
  if (S_ISDIR(status->st_mode)) return EISDIR;
  if (!S_ISREG(status->st_mode)) return EINVAL;
  if (status->st_nlink != 1) return EMLINK;
  if (status->st_size > (off_t)max || status->st_size >= (off_t)MAX_INIT_PAYLOAD_BYTES) return EFBIG;
  return 0;
}

void fetch_begin(char *path, uint32_t max) {
  const char *leaf;
  int directory = open_parent(path, 0, &leaf);
  if (directory < 0) {
    fetch_refuse(errno);
    return;
  }
  /* Non-blocking: opening a pipe under that name would hang. */
  file = openat(directory, leaf, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat status;
  int error = file < 0 || fstat(file, &status) < 0 ? errno : unfit(&status, max);
  close(directory);
  if (error != 0) {
    if (file >= 0) close(file);
    file = -1;
    fetch_refuse(error);
    return;
  }
  left = (size_t)status.st_size;
  answer(0, left);
  fetch_pump();
}

int fetch_later(const char *path, uint32_t max) {
  if (is_kept) return 0;
  strcpy(kept_path, path);
  kept_max = max;
  return is_kept = 1;
}

void fetch_kept(void) {
  if (!is_kept) return;
  is_kept = 0;
  fetch_begin(kept_path, kept_max);
}

void fetch_pump(void) {
  while (left > 0 && writer_pending() < WRITER_FULL) {
    ssize_t got = write_from(file, left < MAX_STREAM_BYTES ? left : MAX_STREAM_BYTES);
    /* The length is announced already, and no process runs that could have truncated the file. */
    if (got <= 0) exit_init(EXIT_BROKEN);
    left -= (size_t)got;
  }
  if (left == 0 && file >= 0) {
    close(file);
    file = -1;
  }
}

int fetch_active(void) {
  return file >= 0;
}
