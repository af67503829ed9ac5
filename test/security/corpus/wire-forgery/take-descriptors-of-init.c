#define _GNU_SOURCE
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

int main(void) {
  /* Init's descriptors could be reached by its process, by its thread, or by a descriptor of /proc/1. */
  for (int pid = 1; pid < 3; pid++) {
    long process = syscall(SYS_pidfd_open, pid, 0);
    if (process < 0 || pid == getpid()) continue;
    for (int fd = 0; fd < 16; fd++) {
      long taken = syscall(SYS_pidfd_getfd, process, fd, 0);
      if (taken >= 0 && write((int)taken, "\206\2\0\0\0{}", 7) > 0) printf("ESCAPED: took %d of %d\n", fd, pid);
    }
    if (pid == 1 && syscall(SYS_pidfd_send_signal, process, 19, NULL, 0) == 0) puts("ESCAPED: stopped init");
  }
  if (syscall(SYS_kcmp, 1, getpid(), 0, 1, 1) >= 0) puts("ESCAPED: compared with init");
  return 38;
}
