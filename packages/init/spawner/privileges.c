#define _GNU_SOURCE
#include "privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fail.h"

static struct sock_filter instructions[BPF_MAXINSNS + 1];
static struct sock_fprog filter = {.filter = instructions};

void become_user(uid_t uid, gid_t gid) {
  if (geteuid() != 0) return;
  if (setgroups(0, NULL) < 0 || setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0) fail("become", "the user");
}

void drop_capabilities(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};
  /* The kernel may know more of them than this program. */
  for (unsigned long each = 0; prctl(PR_CAPBSET_READ, each, 0, 0, 0) >= 0; each++) {
    if (prctl(PR_CAPBSET_DROP, each, 0, 0, 0) < 0) fail("drop", "a capability");
  }
  if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 || syscall(SYS_capset, &header, none) < 0) {
    fail("drop", "capabilities");
  }
}

void read_filter(const char *path) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t got = file < 0 ? -1 : read(file, instructions, sizeof instructions);
  if (got < 0) fail("read", path);
  close(file);
  size_t size = (size_t)got, count = size / sizeof *instructions;
  errno = EINVAL;
  if (count == 0 || count > BPF_MAXINSNS || size % sizeof *instructions != 0) fail("read", path);
  filter.len = (unsigned short)count;
}

void confine(void) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) fail("keep", "privileges");
  if (filter.len > 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) < 0) fail("install", "the filter");
}
