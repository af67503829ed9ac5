#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe.h"

#define LOOK_MS 500

extern char **environ;

/* Prints the environment for the worker to compare; that of init must be out of reach. */
void environment(int count, char **args) {
  (void)count, (void)args;
  char text[4096];
  for (char **variable = environ; *variable != NULL; variable++) puts(*variable);
  if (slurp("/proc/1/environ", text, sizeof text) > 0) got("the environment of init can be read: %.200s", text);
}

void host_name(int count, char **args) {
  (void)count, (void)args;
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  puts(name);
  if (sethostname("isopod-canary", 13) == 0) got("the host has another name now");
}

static int look_for_others(void) {
  DIR *folder = opendir("/proc");
  if (folder == NULL) return -1;
  int others = 0;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    if (!isdigit((unsigned char)entry->d_name[0])) continue;
    int pid = atoi(entry->d_name);
    if (pid == 1 || pid == getpid()) continue;
    got("process %d is visible", pid);
    others++;
  }
  closedir(folder);
  return others;
}

/*
 * There must be only init and this process: a third would belong to the host, to another container, or to the engine, which may
 * start one from time to time. So it looks for a while.
 */
void processes(int count, char **args) {
  long long until = wall_ms() + LOOK_MS;
  int others;
  while ((others = look_for_others()) == 0 && wall_ms() < until) usleep(20000);
  if (others < 0) untried("/proc cannot be read: %s", strerror(errno));
  char path[64], text[256];
  for (int i = 0; i < count; i++) {
    int pid = atoi(args[i]);
    /* A worker in a container can have the same pid as init or this program here. */
    if (pid == 1 || pid == getpid()) continue;
    snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
    if (slurp(path, text, sizeof text) > 0) got("%s can be read: %s", path, text);
  }
}

static void must_not_open(const char *path, int flags) {
  int fd = open(path, flags | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return;
  got("%s opens for %s", path, flags == O_RDONLY ? "reading" : "writing");
  close(fd);
}

/* Tries to read init's files in /proc, although init runs as the same user; a word names what may be read. */
void init(int count, char **args) {
  static const char *const insides[] = {"/proc/1/mem",  "/proc/1/environ", "/proc/1/maps",  "/proc/1/exe", "/proc/1/fd",
                                        "/proc/1/fd/0", "/proc/1/fd/1",    "/proc/1/root/", "/proc/1/cwd/"};
  for (unsigned i = 0; i < sizeof insides / sizeof *insides; i++) {
    must_not_open(insides[i], O_RDONLY);
    must_not_open(insides[i], O_WRONLY);
  }
  static const char *const outsides[] = {"/isopod", "/isopod/init"};
  for (unsigned i = 0; i < sizeof outsides / sizeof *outsides; i++) {
    if (count == 0 || strcmp(args[0], outsides[i]) != 0) must_not_open(outsides[i], O_RDONLY);
    must_not_open(outsides[i], O_WRONLY);
  }
  if (rename("/isopod/init", "/isopod/other") == 0) got("init was moved away");
  if (chmod("/isopod/init", 0777) == 0) got("init has another mode now");
  must_not_open("/proc/1/oom_score_adj", O_WRONLY);
}

/* Files through which a process could change its host. Opened, never written to. */
void proc(int count, char **args) {
  (void)count, (void)args;
  static const char *const switches[] = {
      "/proc/sys/kernel/core_pattern",
      "/proc/sys/kernel/hostname",
      "/proc/sys/kernel/modprobe",
      "/proc/sys/vm/overcommit_memory",
      "/proc/sys/net/ipv4/ip_forward",
      "/proc/sys/fs/binfmt_misc/register",
      "/proc/sysrq-trigger",
      "/proc/irq/default_smp_affinity",
      "/sys/kernel/uevent_helper",
      "/sys/kernel/mm/transparent_hugepage/enabled",
      "/sys/fs/cgroup/memory/memory.limit_in_bytes",
      "/sys/fs/cgroup/memory/release_agent",
      "/sys/fs/cgroup/memory/cgroup.procs",
      "/sys/fs/cgroup/pids/pids.max",
      "/sys/fs/cgroup/devices/devices.allow",
      "/sys/fs/cgroup/memory.max",
      "/sys/fs/cgroup/pids.max",
      "/sys/fs/cgroup/cgroup.procs",
  };
  for (unsigned i = 0; i < sizeof switches / sizeof *switches; i++) must_not_open(switches[i], O_WRONLY);
  static const char *const memories[] = {"/proc/kcore", "/dev/mem", "/dev/kmem", "/dev/port", "/dev/kmsg"};
  char text[16];
  for (unsigned i = 0; i < sizeof memories / sizeof *memories; i++) {
    if (slurp(memories[i], text, sizeof text) > 0) got("%s can be read", memories[i]);
    int fd = open(memories[i], O_WRONLY | O_CLOEXEC);
    if (fd >= 0 && i > 0) got("%s opens for writing", memories[i]);
    if (fd >= 0) close(fd);
  }
}

/* A terminal would pass on control sequences, and input for another reader. With a word this kernel is not the host's. */
void terminal(int count, char **args) {
  (void)args;
  for (int fd = 0; fd < 3; fd++) {
    if (isatty(fd)) got("descriptor %d is a terminal", fd);
  }
  must_not_open("/dev/tty", O_RDWR);
  must_not_open("/dev/console", O_RDWR);
  must_not_open("/dev/pts/0", O_RDWR);
  if (count > 0) return;
  int fd = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
  unsigned int number;
  /* The host has one pool of terminals, which one container could exhaust. */
  if (fd >= 0 && ioctl(fd, TIOCGPTN, &number) == 0) got("took the terminal %u of the host", number);
}
