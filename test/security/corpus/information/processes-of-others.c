#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
  int others = 0;
  for (int pid = 2; pid < 70000; pid++) {
    char path[32];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d", pid);
    int hidden = stat(path, &status) < 0;
    if (pid != getpid() && pid != getppid() && (!hidden || kill(pid, 0) == 0 || errno == EPERM)) others++;
  }
  if (others > 0) printf("ESCAPED: %d other processes\n", others);
  return 0;
}
