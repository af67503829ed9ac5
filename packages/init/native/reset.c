#define _GNU_SOURCE
#include "reset.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cgroup.h"
#include "empty.h"
#include "ipc.h"
#include "json.h"
#include "life.h"
#include "preload.h"
#include "put.h"
#include "util.h"
#include "wire.h"

#define PROCESS_PATIENCE_US 1000000

static const char *const PATHS[] = {WORKSPACE, "/tmp", "/dev/shm"};
#define MOUNTS (sizeof PATHS / sizeof *PATHS)
static struct {
  int fd;
  mode_t mode;
} mounts[MOUNTS];

void reset_open(void) {
  for (size_t i = 0; i < MOUNTS; i++) {
    struct stat status;
    mounts[i].fd = open(PATHS[i], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (mounts[i].fd >= 0 && fstat(mounts[i].fd, &status) == 0) mounts[i].mode = status.st_mode & 07777;
  }
}

static int is_other_process(const char *name, unsigned char type, void *context) {
  (void)type;
  (void)context;
  if (name[0] < '1' || name[0] > '9' || strcmp(name, "1") == 0) return 0;
  return kept.zygote == 0 || strtol(name, NULL, 10) != kept.zygote;
}

/*
 * Whether the kernel counts more tasks than the list has shown. Beside one that is spared not all can be killed at once, and
 * a list that is read while processes come and go can miss some.
 */
static int is_other_task(void) {
  int64_t tasks = kept.zygote != 0 ? cgroup_usage().pids : UNKNOWN;
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

int reset_files(void) {
  for (size_t i = 0; i < MOUNTS; i++) {
    /* What was not there at the start is no writable mount of this container. */
    if (mounts[i].fd < 0) continue;
    if (empty_directory(mounts[i].fd, mounts[i].mode) < 0) return -1;
  }
  return 0;
}

static const char *clean_up(void) {
  if (kill_everyone() < 0) return "processes";
  const char *left = no_processes();
  if (left == NULL && reset_files() < 0) left = "files";
  if (left == NULL && ipc_remove() < 0) left = "ipc";
  if (left == NULL) left = preload_renew();
  return left;
}

void reset(void) {
  const char *left = clean_up();
  put_take_failure();
  json_begin();
  json_flag("clean", left == NULL);
  json_word("reason", left);
  json_send(FRAME_RESET_DONE);
}
