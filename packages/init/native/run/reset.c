#define _GNU_SOURCE
#include "run/reset.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/util.h"
#include "files/fetch.h"
#include "files/mounts.h"
#include "files/put.h"
#include "files/snapshot.h"
#include "frames/fault.h"
#include "frames/frame_writer.h"
#include "frames/json.h"
#include "frames/wire.h"
#include "process/process.h"
#include "resources/cgroup.h"
#include "resources/ready.h"
#include "resources/usage.h"
#include "run/ipc.h"
#include "run/leftovers.h"
#include "run/preload.h"
#include "run/run.h"

#define PROCESSES_TIMEOUT_US 1000000

static int is_kept;

static int is_other_process(const char *name, unsigned char type, void *context) {
  (void)type;
  (void)context;
  if (name[0] < '1' || name[0] > '9' || strcmp(name, "1") == 0) return 0;
  return standby.zygote == 0 || strtol(name, NULL, 10) != standby.zygote;
}

/*
 * Whether the cgroup counts more tasks than init and the zygote. With a zygote, processes are killed one by one, and a list of
 * /proc that is read while processes come and go can miss some.
 */
static int is_other_task(void) {
  int64_t tasks = standby.zygote != 0 ? cgroup_usage().pids : UNKNOWN;
  return tasks > 2;
}

/* Includes processes that init does not reap, such as those of `docker exec`. */
static const char *no_processes(void) {
  static char entries[8192] __attribute__((aligned(8)));
  int64_t deadline = now_us() + PROCESSES_TIMEOUT_US;
  int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (proc < 0) return "unreadable";
  int other;
  for (;;) {
    other = each_entry(proc, entries, sizeof entries, is_other_process, NULL);
    if (other == 0) other = is_other_task();
    if (other <= 0 || now_us() >= deadline) break;
    if (kill_everyone() < 0) break;
    /* The host waits for the done frame, which may still be queued. */
    writer_flush();
    nanosleep(&(struct timespec){.tv_nsec = 5 * 1000 * 1000}, NULL);
  }
  close(proc);
  return other == 0 ? NULL : other > 0 ? "processes" : "unreadable";
}

static const char *clean_up(void) {
  if (kill_everyone() < 0) return "processes";
  preload_close();
  const char *left = no_processes();
  if (left == NULL && mounts_clear() < 0) left = "files";
  if (left == NULL && ipc_remove() < 0) left = "ipc";
  if (left == NULL) left = leftovers();
  /* Before the next fork, whose pages count for the next run. */
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

void reset_later(void) {
  is_kept = 1;
}

void reset_kept(void) {
  if (!is_kept || run_state() != RUN_IDLE || fetch_active()) return;
  is_kept = 0;
  reset();
  ready_send();
}

void reset_and_restore(void) {
  if (!clean()) fatal("init", ENOTRECOVERABLE);
  snapshot_restore();
}
