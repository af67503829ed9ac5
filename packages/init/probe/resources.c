#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "probe.h"

#define MIB (1024L * 1024)
#define CHUNK 65536

static const char *const writable[] = {"/workspace", "/tmp", "/dev/shm"};
#define WRITABLE (sizeof writable / sizeof *writable)

static long number(int count, char **args, int index) {
  return index < count ? strtol(args[index], NULL, 10) : 0;
}

/* Starts processes until one is refused; the first argument is the maximum. */
void forks(int count, char **args) {
  long limit = number(count, args, 0), made = 0;
  for (; made < limit; made++) {
    pid_t child = fork();
    if (child < 0) break;
    if (child == 0) {
      pause();
      _exit(0);
    }
  }
  fact("forked", made);
}

/* Touches memory; the first argument is its size in MiB. The worker checks how the process ended. */
void memory(int count, char **args) {
  size_t size = (size_t)(number(count, args, 0) * MIB);
  char *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (bytes == MAP_FAILED) return;
  for (size_t at = 0; at < size; at += 4096) bytes[at] = 1;
  got("took %ld MiB", number(count, args, 0));
}

/* Fills each writable folder; the first argument is the maximum in bytes. */
void disk(int count, char **args) {
  static char bytes[CHUNK];
  long limit = number(count, args, 0);
  memset(bytes, 'x', sizeof bytes);
  for (unsigned i = 0; i < WRITABLE; i++) {
    char path[64];
    snprintf(path, sizeof path, "%s/filler", writable[i]);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    long written = 0;
    for (ssize_t more; written < limit && (more = write(fd, bytes, sizeof bytes)) > 0;) written += more;
    fact(writable[i], written);
    close(fd);
    unlink(path);
  }
}

/* Creates empty files in each writable folder until one is refused; the first argument is the maximum. */
void inodes(int count, char **args) {
  long limit = number(count, args, 0);
  for (unsigned i = 0; i < WRITABLE; i++) {
    long made = 0;
    char path[64];
    for (; made < limit; made++) {
      snprintf(path, sizeof path, "%s/%ld", writable[i], made);
      if (mknod(path, S_IFREG | 0600, 0) < 0) break;
    }
    fact(writable[i], made);
  }
}

/* Writes to both output streams; the first argument is the number of bytes for each. */
void output(int count, char **args) {
  static char bytes[CHUNK];
  memset(bytes, 'y', sizeof bytes);
  for (long left = number(count, args, 0); left > 0; left -= CHUNK) {
    put(1, bytes, sizeof bytes);
    put(2, bytes, sizeof bytes);
  }
}

void open_files(int count, char **args) {
  long limit = number(count, args, 0), opened = 0;
  struct rlimit more = {(rlim_t)limit, (rlim_t)limit};
  setrlimit(RLIMIT_NOFILE, &more);
  while (opened < limit && open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0) opened++;
  fact("opened", opened);
}

/* A limit of init, which all processes inherit: "Max NAME soft hard unit". */
static void bound_of_init(const char *text, const char *name, const char *title) {
  const char *line = strstr(text, title);
  if (line == NULL) return;
  line += strlen(title) + strspn(line + strlen(title), " ");
  line += strcspn(line, " ");
  line += strspn(line, " ");
  fact(name, strncmp(line, "unlimited", 9) == 0 ? -1 : atoll(line));
}

static void bounds_of_init(void) {
  char text[4096];
  if (slurp("/proc/1/limits", text, sizeof text) < 0) return;
  bound_of_init(text, "init-core", "Max core file size");
  bound_of_init(text, "init-nofile", "Max open files");
}

/* A limit that only the kernel enforces; a program must not be able to raise it. */
static void bound(const char *name, int resource) {
  struct rlimit now, more = {RLIM_INFINITY, RLIM_INFINITY};
  if (setrlimit((__rlimit_resource_t)resource, &more) == 0) got("%s could be raised", name);
  if (getrlimit((__rlimit_resource_t)resource, &now) < 0) untried("%s cannot be read", name);
  fact(name, now.rlim_max == RLIM_INFINITY ? -1 : (long long)now.rlim_max);
}

/* Each argument is Linux's number of a limit that init sets; the others are the container's. */
void limits(int count, char **args) {
  static const struct {
    const char *name;
    int resource;
  } known[] = {{"core", RLIMIT_CORE}, {"memlock", RLIMIT_MEMLOCK}, {"msgqueue", RLIMIT_MSGQUEUE}};
  for (unsigned i = 0; i < sizeof known / sizeof *known; i++) bound(known[i].name, known[i].resource);
  for (int i = 0; i < count; i++) {
    char name[32];
    snprintf(name, sizeof name, "rlimit-%s", args[i]);
    bound(name, (int)number(count, args, i));
  }
  bounds_of_init();
}

static long long monotonic_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

/* A running process reads the clock more often than this. */
#define PAUSED_US 2000

/*
 * The first argument is the number of processes, the second for how many milliseconds each uses all the CPU time it gets. They
 * measure it themselves: gVisor's kernel also counts time that its host withholds.
 */
void cpu(int count, char **args) {
  long long *ran = mmap(NULL, sizeof *ran, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (ran == MAP_FAILED) return untried("no memory to count in");
  long long last = monotonic_us(), until = last + number(count, args, 1) * 1000, own = 0;
  int child = 0;
  for (long i = 1; i < number(count, args, 0) && !child; i++) child = fork() == 0;
  for (long long now; last < until; last = now) {
    now = monotonic_us();
    if (now - last < PAUSED_US) own += now - last;
  }
  __atomic_add_fetch(ran, own, __ATOMIC_RELAXED);
  if (child) _exit(0);
  while (waitpid(-1, NULL, 0) > 0) continue;
  fact("ran", *ran / 1000);
}

/* Ignores all signals and sleeps. */
void sleeper(int count, char **args) {
  (void)count, (void)args;
  for (int signal_number = 1; signal_number < NSIG; signal_number++) signal(signal_number, SIG_IGN);
  sleep(60);
  got("slept past the limit");
}

void core_file(int count, char **args) {
  (void)count, (void)args;
  prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  pid_t child = fork();
  if (child == 0) {
    struct rlimit more = {64 * MIB, 64 * MIB};
    setrlimit(RLIMIT_CORE, &more);
    abort();
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFSIGNALED(status)) untried("no process could be ended");
  else if (WCOREDUMP(status)) got("a core file was written");
}
