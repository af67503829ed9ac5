#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
  char marker[128] = "";
  if (scanf("%*s %100s", marker) != 1) return 1;
  for (int i = 0; i < 10; i++) {
    if (fork() != 0) continue;
    setsid();
    if (fork() != 0) _exit(0);
    for (int fd = 0; fd < 256; fd++) close(fd);
    for (int number = 1; number < 64; number++) signal(number, SIG_IGN);
    execl("/bin/bash", marker, "-c", "trap '' TERM HUP; while :; do sleep 1; done", marker, (char *)0);
    _exit(1);
  }
  usleep(200000);
  return 0;
}
