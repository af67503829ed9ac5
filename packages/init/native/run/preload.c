#define _GNU_SOURCE
#include "run/preload.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/util.h"
#include "files/mounts.h"
#include "files/put.h"
#include "frames/fault.h"
#include "frames/json.h"
#include "frames/wire.h"
#include "process/process.h"
#include "process/spawn.h"
#include "process/streams.h"
#include "process/zygote.h"
#include "resources/cgroup.h"
#include "run/leftovers.h"

#define MAIN_CHUNK (64 * 1024)

static int control = -1; /* socket of the waiting process */
static char main_path[sizeof WORKSPACE + 256];
static int main_pipe = -1, main_file = -1;
static off_t main_at;
static uint64_t digest;
static struct process_limits waiting_limits;

static void close_all(void) {
  int *const fds[] = {&control, &main_pipe, &main_file};
  for (size_t i = 0; i < sizeof fds / sizeof *fds; i++) {
    if (*fds[i] >= 0) close(*fds[i]);
    *fds[i] = -1;
  }
  zygote_close();
}

void preload_drop(void) {
  int any = standby.waiting != 0 || standby.zygote != 0;
  standby = (struct standby){0};
  close_all();
  digest = 0;
  if (any && kill_everyone() < 0) fatal("init", ETIMEDOUT);
  streams_close();
}

/* Opening a pipe for writing succeeds only once a reader has opened it. */
static int await_reader(int64_t deadline) {
  while ((main_pipe = open(main_path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)) < 0) {
    if (errno != ENXIO) return errno;
    reap_pending();
    if (standby.waiting == 0) return ESRCH;
    if (now_us() >= deadline) return ETIMEDOUT;
    nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
  }
  return 0;
}

/* Output before the program's start would be mistaken for the program's. */
static int has_output(void) {
  for (int i = 0; i < 2; i++) {
    int bytes = 0;
    if (ioctl(outputs[i].fd, FIONREAD, &bytes) < 0 || bytes > 0) return 1;
  }
  return 0;
}

static int begin(const struct exec_request *request, const char *name) {
  int ends[2] = {-1, -1}, by_pipe = name[0] != '\0';
  int64_t deadline = now_us() + (int64_t)request->wall_ms * 1000;
  if (by_pipe) {
    snprintf(main_path, sizeof main_path, "%s/%s", WORKSPACE, name);
    if (mkfifo(main_path, 0600) < 0) return errno;
  } else if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
    return errno;
  }
  control = ends[0];
  int error = spawn(request, ends[1], &standby.waiting, &waiting_limits);
  if (ends[1] >= 0) close(ends[1]);
  if (error < 0) error = -error;
  if (error == 0) error = by_pipe ? await_reader(deadline) : zygote_await_ready(control, deadline, NULL);
  if (error == 0 && has_output()) error = EIO;
  return error;
}

static int settle(const struct exec_request *request) {
  digest = request->digest;
  if (mounts_clear() < 0) return ENOTEMPTY;
  if ((request->flags & EXEC_FORKS) == 0) return 0;
  standby.zygote = standby.waiting;
  standby.waiting = 0;
  /* The zygote itself needed pipes only to start. */
  streams_close();
  zygote_open(control);
  control = -1;
  leftovers_baseline();
  return zygote_request_fork();
}

void preload_start(const struct exec_request *request, const char *name) {
  int64_t started = now_us();
  preload_drop();
  int error = put_take_failure() ? ECANCELED : begin(request, name);
  if (error == 0) error = settle(request);
  if (error != 0) preload_drop();
  /* Also after a failure, because no run may find the preload's files. */
  if (error != 0 && mounts_clear() < 0) fatal("init", ENOTEMPTY);
  json_begin();
  json_ms("ms", now_us() - started);
  json_number("memoryBytes", cgroup_usage().memory_bytes);
  json_word("error", error != 0 ? error_name(error) : NULL);
  json_send(FRAME_PRELOADED);
}

int preload_await(const struct exec_request *request) {
  /* It already has its arguments and environment. */
  if (digest == 0 || request->digest != digest) return EINVAL;
  /* A process sets its CPU limit itself when the control socket says so; one that waits at a pipe has no control socket. */
  if (main_pipe >= 0 && request->cpu_ms > 0) return ENOTSUP;
  if (standby.zygote != 0 && standby.waiting == 0) {
    int error = zygote_await_fork(&control);
    if (error != 0) return error;
  }
  return standby.waiting == 0 ? ESRCH : 0;
}

/* Whole seconds of CPU time that the process used before the run; they must not count for the run. */
static uint64_t seconds_used(pid_t pid) {
  clockid_t clock;
  struct timespec used;
  return clock_getcpuclockid(pid, &clock) == 0 && clock_gettime(clock, &used) == 0 ? (uint64_t)used.tv_sec : 0;
}

/* The container's profile forbids setting limits of other processes: the process sets its own. */
static int send_start(const struct exec_request *request, pid_t pid) {
  char word[32] = "g";
  int size = 1;
  if (request->cpu_ms > 0) {
    size = snprintf(word, sizeof word, "g%llu", (unsigned long long)(cpu_seconds(request) + seconds_used(pid)));
  }
  ssize_t sent = send(control, word, (size_t)size, MSG_NOSIGNAL);
  int error = sent == size ? 0 : errno;
  close(control);
  control = -1;
  return error;
}

int preload_go(const struct exec_request *request, struct process_limits *limits) {
  *limits = waiting_limits;
  reaped.main_pid = standby.waiting;
  standby.waiting = 0;
  if (main_pipe < 0) return send_start(request, reaped.main_pid);
  main_file = open(main_path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (main_file < 0) return errno;
  main_at = 0;
  preload_feed();
  return 0;
}

void preload_close(void) {
  streams_close();
  if (control >= 0) close(control);
  control = -1;
}

const char *preload_refork(void) {
  if (!zygote_is_open()) return NULL;
  return zygote_is_healthy() && zygote_request_fork() == 0 ? NULL : "preload";
}

int preload_fd(void) {
  return main_file >= 0 ? main_pipe : -1;
}

void preload_feed(void) {
  static unsigned char chunk[MAIN_CHUNK];
  while (main_file >= 0) {
    ssize_t got = pread(main_file, chunk, sizeof chunk, main_at);
    ssize_t put = got > 0 ? write(main_pipe, chunk, (size_t)got) : 0;
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EAGAIN) return;
    if (put > 0) {
      main_at += put;
      continue;
    }
    /* End of file, or the reader has closed it. */
    close(main_file);
    close(main_pipe);
    main_file = main_pipe = -1;
  }
}
