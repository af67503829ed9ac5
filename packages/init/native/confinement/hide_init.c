#define _GNU_SOURCE
#include "confinement/hide_init.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int hidden_by_kernel;

void hide_self(void) {
  hidden_by_kernel = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 1;
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

int kernel_hides_init(void) {
  return hidden_by_kernel;
}

/*
 * Linux protects the /proc files of a process that is not dumpable; gVisor does not. Only a refusal counts as protected: -1
 * for any other failure.
 */
static int init_is_open(void) {
  char name[1];
  /* The child may still have init's memory, which it may read. Both files follow the same rule. */
  int found = kernel_hides_init() ? (int)readlink("/proc/1/exe", name, sizeof name)
                                  : open("/proc/1/environ", O_RDONLY | O_CLOEXEC);
  if (found < 0) return errno == EACCES || errno == EPERM || errno == ENOENT ? 0 : -1;
  if (!kernel_hides_init()) close(found);
  return 1;
}

static int write_file(const char *path, const char *text) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  ssize_t put = write(fd, text, strlen(text));
  close(fd);
  return put < 0 ? -1 : 0;
}

static int drop_capabilities(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++) {
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0) return -1;
  }
  return (int)syscall(SYS_capset, &header, none);
}

int hide_init(void) {
  int is_open = init_is_open();
  if (is_open <= 0) return is_open;
  /* Not what it promised, and too late for a child that has init's memory. */
  errno = EPERM;
  if (kernel_hides_init()) return -1;
  char users[32], groups[32];
  snprintf(users, sizeof users, "%u %u 1\n", getuid(), getuid());
  snprintf(groups, sizeof groups, "%u %u 1\n", getgid(), getgid());
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0) return -1;
  /* An older gVisor has no such file and lets the group be mapped without it. */
  if (write_file("/proc/self/setgroups", "deny") < 0 && errno != ENOENT) return -1;
  if (write_file("/proc/self/uid_map", users) < 0 || write_file("/proc/self/gid_map", groups) < 0) return -1;
  if (mount("none", "/proc/1", "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4096,mode=0555") < 0) return -1;
  if (drop_capabilities() < 0) return -1;
  is_open = init_is_open();
  if (is_open <= 0) return is_open;
  errno = EPERM;
  return -1;
}
