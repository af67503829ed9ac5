#define _GNU_SOURCE
#include "process/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/util.h"
#include "confinement/hide_init.h"
#include "confinement/seccomp.h"
#include "frames/wire.h"

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"

static void offer_to_oom_killer(const struct exec_request *request) {
  /* The child has inherited init's raised score. PR_SET_DUMPABLE would apply to init, whose memory it uses. */
  if (kernel_hides_init()) return;
  /* As long as the child is not dumpable, which it inherits from init, its own /proc files belong to root. */
  prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  /* Not the zygote, which outlives many programs: each of its forks sets this for itself. */
  if ((request->flags & EXEC_FORKS) != 0) return;
  int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  if (write(fd, "1000", 4) < 0) {
    /* Ignored: the kernel then chooses its victim by size alone. */
  }
  close(fd);
}

static int limit(int resource, rlim_t soft, rlim_t hard) {
  struct rlimit now;
  if (getrlimit((__rlimit_resource_t)resource, &now) < 0) return -1;
  /* A hard limit can only be lowered. */
  if (hard > now.rlim_max) hard = now.rlim_max;
  if (soft > hard) soft = hard;
  return setrlimit((__rlimit_resource_t)resource, &(struct rlimit){soft, hard});
}

static int set_limits(const struct exec_request *request) {
  const struct process_limits *limits = &request->limits;
  for (unsigned i = 0; i < limits->count; i++) {
    rlim_t value = (rlim_t)limits->value[i];
    if (limit((int)limits->resource[i], value, value) < 0) return -1;
  }
  if (limit(RLIMIT_CORE, 0, 0) < 0) return -1;
  rlim_t seconds = cpu_seconds(request);
  return request->cpu_ms > 0 ? limit(RLIMIT_CPU, seconds, seconds + 1) : 0;
}

static void tell(int report, struct child_report answer) {
  if (write(report, &answer, sizeof answer) < 0) {
    /* Ignored: init then reports the exit code as the program's. */
  }
}

static _Noreturn void fail(int report, enum child_event event) {
  tell(report, (struct child_report){.event = event, .error = errno});
  _exit(127);
}

/* Reports the limits as the kernel has them, before any code of the program runs. */
static void tell_limits(int report, struct process_limits limits) {
  for (unsigned i = 0; i < limits.count; i++) {
    struct rlimit now;
    int known = getrlimit((__rlimit_resource_t)limits.resource[i], &now) == 0;
    limits.value[i] = known ? (int64_t)now.rlim_cur : UNKNOWN;
  }
  tell(report, (struct child_report){.event = CHILD_LIMITS, .limits = limits});
}

static void reset_signals(void) {
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

static const char *search_path(char *const *env) {
  for (; *env != NULL; env++) {
    if (strncmp(*env, "PATH=", 5) == 0) return *env + 5;
  }
  return DEFAULT_PATH;
}

/* Sets errno: ENOENT if the name was found nowhere, otherwise that of a file which was found but could not be run. */
static void execute(const struct exec_request *request) {
  const char *name = request->argv[0];
  if (strchr(name, '/') != NULL || name[0] == '\0') {
    execve(name, request->argv, request->env);
    return;
  }
  int found = ENOENT;
  for (const char *part = search_path(request->env); part != NULL;) {
    const char *colon = strchr(part, ':');
    int length = colon != NULL ? (int)(colon - part) : (int)strlen(part);
    char candidate[MAX_PATH_BYTES + 1];
    int size = snprintf(candidate, sizeof candidate, "%.*s/%s", length > 0 ? length : 1, length > 0 ? part : ".", name);
    if (size > 0 && size < (int)sizeof candidate) {
      execve(candidate, request->argv, request->env);
      if (errno != ENOENT && errno != ENOTDIR) found = errno;
      if (found != ENOENT && found != EACCES) break;
    }
    part = colon != NULL ? colon + 1 : NULL;
  }
  errno = found;
}

/* The highest descriptor that the program may have; -1 if that is not limited. */
static int last_descriptor(const struct process_limits *limits) {
  for (unsigned i = 0; i < limits->count; i++) {
    if (limits->resource[i] == RLIMIT_NOFILE) return (int)limits->value[i] - 1;
  }
  return -1;
}

/* Called before the descriptor limit is lowered. If the report's descriptor has the last number, it gets another one. */
static int place_control(const struct exec_request *request, int control, int *report) {
  int last = last_descriptor(&request->limits);
  if (control < 0) return 0;
  if (control == last) return fcntl(control, F_SETFD, 0);
  if (*report == last) *report = fcntl(*report, F_DUPFD_CLOEXEC, 3);
  return *report < 0 || dup2(control, last) < 0 ? -1 : 0;
}

static int guard(const struct exec_request *request) {
  return hide_init() < 0 || seccomp_guard((request->flags & EXEC_FORKS) != 0) < 0 ? -1 : 0;
}

_Noreturn void child_run(const struct exec_request *request, const int stdio[3], int control, int report) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  int ready = 1;
  for (int i = 0; i < 3; i++) ready = ready && dup2(stdio[i], i) == i;
  umask(022);
  offer_to_oom_killer(request);
  reset_signals();
  ready = ready && place_control(request, control, &report) == 0;
  /* Before the limits: the guard opens a file, and with init's descriptors still open the limit may be reached. */
  if (ready && chdir(WORKSPACE) == 0 && chdir(request->cwd) == 0) {
    if (guard(request) < 0) fail(report, CHILD_UNCONFINED);
    if (set_limits(request) == 0) {
      tell_limits(report, request->limits);
      execute(request);
    }
  }
  fail(report, CHILD_FAILED);
}
