#define _GNU_SOURCE
#include "namespaces.h"

#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fail.h"

/* The kernel's metrics of ended connections would outlast a reset, in one table for all sandboxes. */
#define NO_TCP_METRICS "/proc/sys/net/ipv4/tcp_no_metrics_save"

static const struct {
  const char *name;
  unsigned long flag;
} NAMESPACES[] = {
    {"mount", CLONE_NEWNS}, {"network", CLONE_NEWNET},   {"ipc", CLONE_NEWIPC},
    {"uts", CLONE_NEWUTS},  {"cgroup", CLONE_NEWCGROUP}, {"user", CLONE_NEWUSER},
};

/* The new namespace of users knows this one, by the same numbers. */
static void map_user(uid_t uid, gid_t gid) {
  char users[64], groups[64];
  snprintf(users, sizeof users, "%u %u 1\n", uid, uid);
  snprintf(groups, sizeof groups, "%u %u 1\n", gid, gid);
  write_file("/proc/self/setgroups", "deny");
  write_file("/proc/self/uid_map", users);
  write_file("/proc/self/gid_map", groups);
}

/* Of the process that forks: in a new namespace of users, a process has no number until it is mapped. */
static uid_t former_uid;
static gid_t former_gid;

pid_t fork_first_process(void) {
  former_uid = geteuid();
  former_gid = getegid();
  unsigned long users = former_uid == 0 ? 0 : CLONE_NEWUSER;
  /* All other arguments of clone are 0, as for a fork; their order depends on the architecture. */
  return (pid_t)syscall(SYS_clone, CLONE_NEWPID | users | SIGCHLD, 0, 0, 0, 0);
}

void settle_first_process(void) {
  if (former_uid != 0) map_user(former_uid, former_gid);
}

static void bring_up_loopback(void) {
  struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};
  int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (any < 0 || ioctl(any, SIOCSIFFLAGS, &request) < 0) fail("bring up", "lo");
  close(any);
}

void make_namespaces(const char *names) {
  unsigned long flags = 0;
  uid_t uid = geteuid();
  gid_t gid = getegid();
  for (size_t i = 0; i < sizeof NAMESPACES / sizeof *NAMESPACES; i++) {
    if (strstr(names, NAMESPACES[i].name) != NULL) flags |= NAMESPACES[i].flag;
  }
  if (unshare((int)flags) < 0) fail("unshare", names);
  if ((flags & CLONE_NEWNS) != 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) fail("make private", "/");
  if ((flags & CLONE_NEWNET) != 0) {
    bring_up_loopback();
    write_file(NO_TCP_METRICS, "1");
  }
  if ((flags & CLONE_NEWUSER) != 0) {
    /* After a change of its user, the files in /proc of a process belong to root. */
    if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0) fail("own", "/proc/self");
    map_user(uid, gid);
  }
}

void enter_root(const char *directory) {
  /* Mounts the former root over the new one, and removes it from there. */
  if (chdir(directory) < 0 || syscall(SYS_pivot_root, ".", ".") < 0 || umount2(".", MNT_DETACH) < 0 || chdir("/") < 0) {
    fail("enter", directory);
  }
}
