#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct clone3_arguments {
  uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid, set_tid_size, cgroup;
};

int main(void) {
  const struct { const char *name; unsigned long flag; } kinds[] = {{"user", CLONE_NEWUSER}, {"mnt", CLONE_NEWNS}, {"pid", CLONE_NEWPID}, {"net", CLONE_NEWNET}, {"ipc", CLONE_NEWIPC}, {"uts", CLONE_NEWUTS}, {"cgroup", CLONE_NEWCGROUP}, {"time", 0x80}};
  for (int i = 0; i < 8; i++) {
    for (int with_user = 0; with_user < 2; with_user++) {
      unsigned long flags = kinds[i].flag | (with_user ? CLONE_NEWUSER : 0);
      if (unshare((int)flags) == 0) printf("ESCAPED: unshared %s\n", kinds[i].name);
      struct clone3_arguments arguments = {.flags = flags, .exit_signal = SIGCHLD};
      long child = syscall(SYS_clone3, &arguments, sizeof arguments);
      if (child < 0 && flags != 0x80) child = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
      if (child == 0) {
        usleep(200000);
        _exit(0);
      }
      if (child > 0) printf("ESCAPED: a child in a new %s namespace\n", kinds[i].name);
    }
    char path[32];
    snprintf(path, sizeof path, "/proc/1/ns/%s", kinds[i].name);
    int fd = open(path, O_RDONLY);
    if (fd >= 0 && setns(fd, 0) == 0) printf("ESCAPED: joined %s\n", path);
  }
  while (wait(NULL) > 0) continue;
  return 0;
}
