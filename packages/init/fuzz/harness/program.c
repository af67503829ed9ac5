/* The program that init starts: real pipes, and an end when the script or init says so. */
#define _GNU_SOURCE
#include "world.h"

#include <stdlib.h>
#include <string.h>

#include "confinement/hide_init.h"
#include "process/child.h"
#include "process/oom_score.h"
#include "frames/wire.h"
#include "seams.h"
#undef read
#undef fcntl

#define PID 2

enum { RUNS, FORK_FAILS, EXEC_FAILS, DIES_UNHEARD, HALF_A_REPORT, SPAWN_MODES };

jmp_buf fuzz_forked;
static int alive, unreaped, orphans, status;
static int ends[3] = {-1, -1, -1};
static unsigned spawn_mode;

static void close_ends(void) {
  net_hang_up();
  for (int i = 0; i < 3; i++) {
    if (ends[i] >= 0) close(ends[i]);
    ends[i] = -1;
  }
}

void program_begin(void) {
  /* The descriptors were closed with all others. */
  ends[0] = ends[1] = ends[2] = -1;
  alive = unreaped = orphans = 0;
  spawn_mode = RUNS;
}

int program_alive(void) {
  return alive;
}

void program_spawn_mode(unsigned mode) {
  spawn_mode = mode % SPAWN_MODES;
  orphans += mode >= 16;
}

static void end_with(int how) {
  if (!alive) return;
  alive = 0;
  unreaped = 1;
  status = how;
}

pid_t fuzz_before_fork(void) {
  must(!alive && !unreaped, "a program is started while another one runs");
  net_check_closed();
  if (spawn_mode != FORK_FAILS) return 0;
  errno = EAGAIN;
  return -1;
}

pid_t fuzz_after_fork(void) {
  return PID;
}

static void check_strings(char *const *strings, size_t *total) {
  for (; *strings != NULL; strings++) *total += strlen(*strings);
  must(*total <= MAX_EXEC_BYTES, "%zu bytes of texts", *total);
}

static void send_report(int report, struct child_report content, size_t size) {
  must(write(report, &content, size) == (ssize_t)size, "no room for a report");
}

void hide_self(void) {}

/* The start by vfork differs only for the kernel. */
int kernel_hides_init(void) {
  return 0;
}

void oom_score_open(void) {}

void oom_score_raise(void) {}

void oom_score_restore(void) {}

void child_run(const struct exec_request *request, const int stdio[3], int control, int report) {
  size_t total = strlen(request->cwd);
  must(((request->flags & EXEC_NET) != 0) == net_listening(), "a tunnel that was not asked for, or none");
  must(request->argv[0] != NULL && request->wall_ms > 0, "a program without a name or time");
  check_strings(request->argv, &total);
  check_strings(request->env, &total);
  for (int i = 0; i < 3; i++) {
    ends[i] = fcntl(stdio[i], F_DUPFD_CLOEXEC, 0);
    must(ends[i] >= 0 && fcntl(ends[i], F_SETFL, O_NONBLOCK) == 0, "the program has no pipe %d", i);
  }
  alive = 1;
  /* A preloaded process: it waits from the start. */
  if (control >= 0) {
    int waits = fcntl(control, F_DUPFD_CLOEXEC, 0);
    must(waits >= 0 && (spawn_mode != RUNS || write(waits, "w", 1) == 1), "the preloaded process cannot report");
  }
  const struct child_report failed = {.event = CHILD_FAILED, .error = ENOENT};
  const struct child_report confined = {.event = CHILD_LIMITS, .limits = request->limits};
  if (spawn_mode == EXEC_FAILS) send_report(report, failed, sizeof failed);
  else if (spawn_mode == HALF_A_REPORT) send_report(report, confined, 3);
  else if (spawn_mode == RUNS) send_report(report, confined, sizeof confined);
  if (spawn_mode == EXEC_FAILS || spawn_mode == DIES_UNHEARD) program_exit(1);
  longjmp(fuzz_forked, 1);
}

void program_write(int stream, size_t size) {
  static char bytes[80 * 31 * 31 + 1];
  /* A full or closed pipe concerns only the program. */
  if (alive && write(ends[stream], bytes, size) < 0) return;
}

void program_read(size_t size) {
  static char bytes[65536];
  if (!alive) return;
  if (size == 0) {
    close(ends[0]);
    ends[0] = -1;
  } else if (ends[0] >= 0 && read(ends[0], bytes, size) < 0) return;
}

void program_exit(unsigned how) {
  end_with(how < 16 ? (int)how << 8 : (int)how - 15);
  /* Sometimes another process still holds the other ends. */
  if (how != 31) close_ends();
}

int fuzz_kill(pid_t pid, int number) {
  must(pid == -1 && number == SIGKILL, "signal %d to %d", number, (int)pid);
  end_with(SIGKILL);
  close_ends();
  return 0;
}

pid_t fuzz_wait4(pid_t pid, int *into, int options, struct rusage *usage) {
  must(pid == -1 && options == WNOHANG, "a wait that may last");
  memset(usage, 0, sizeof *usage);
  usage->ru_utime.tv_usec = usage->ru_stime.tv_usec = 500;
  if (orphans > 0) {
    orphans--;
    *into = 0;
    return PID + 1;
  }
  if (unreaped) {
    unreaped = 0;
    *into = status;
    return PID;
  }
  if (alive) return 0;
  errno = ECHILD;
  return -1;
}
