#define _GNU_SOURCE
#include "process/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include "common/util.h"
#include "confinement/hide_init.h"
#include "process/oom_score.h"
#include "process/streams.h"

#define EXEC_TIMEOUT_MS 10000
#define CHILD_STACK_BYTES (32 * 1024)

/* Waits until the child has become the program; returns as spawn. */
static int await_exec(int report, struct process_limits *held) {
  for (;;) {
    struct pollfd child = {.fd = report, .events = POLLIN};
    int polled;
    do polled = poll(&child, 1, EXEC_TIMEOUT_MS);
    while (polled < 0 && errno == EINTR);
    if (polled == 0) return ETIMEDOUT;
    struct child_report answer;
    if (read(report, &answer, sizeof answer) != sizeof answer) return 0;
    if (answer.event == CHILD_UNCONFINED) return -answer.error;
    if (answer.event == CHILD_FAILED) return answer.error;
    *held = answer.limits;
  }
}

struct child {
  const struct exec_request *request;
  const int *stdio;
  int control;
  int report;
};

static int run_child(void *context) {
  const struct child *child = context;
  child_run(child->request, child->stdio, child->control, child->report);
}

/*
 * As vfork, but by `clone`, which no seccomp profile refuses: until its exec the child has init's memory, and init waits. A copy of
 * that would take most of the time of a start.
 */
static pid_t start_in_memory_of_init(struct child child) {
  char stack[CHILD_STACK_BYTES] __attribute__((aligned(16)));
  return clone(run_child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &child);
}

static pid_t start(const struct exec_request *request, const int stdio[3], int control, int report) {
  /* `hide_init` may need a process with memory of its own. */
  if (!kernel_hides_init()) {
    pid_t started = fork();
    if (started == 0) child_run(request, stdio, control, report);
    return started;
  }
  /* The zygote outlives many programs: each of its forks raises its own. */
  int is_program = (request->flags & EXEC_FORKS) == 0;
  if (is_program) oom_score_raise();
  pid_t started = start_in_memory_of_init((struct child){request, stdio, control, report});
  int error = errno;
  if (is_program) oom_score_restore();
  errno = error;
  return started;
}

int spawn(const struct exec_request *request, int control, pid_t *pid, struct process_limits *held) {
  int child[3], report[2] = {-1, -1}, error = 0;
  *held = request->limits;
  for (unsigned i = 0; i < held->count; i++) held->value[i] = UNKNOWN;
  if (streams_open(child) < 0 || pipe2(report, O_CLOEXEC) < 0) error = errno;
  if (error == 0) {
    pid_t started = start(request, child, control, report[1]);
    if (started < 0) error = errno;
    else *pid = started;
  }
  for (int i = 0; i < 3; i++) {
    if (child[i] >= 0) close(child[i]);
  }
  if (report[1] >= 0) close(report[1]);
  if (error == 0) error = await_exec(report[0], held);
  if (report[0] >= 0) close(report[0]);
  return error;
}
