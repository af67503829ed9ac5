#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_for_ever(void) {
  for (int number = 1; number < 65; number++) signal(number, SIG_IGN);
  for (;;) {
    mkdir("/workspace/late", 0700);
    int file = open("/tmp/late", O_CREAT | O_WRONLY, 0600);
    if (file >= 0) close(file);
  }
}

int main(void) {
  for (int i = 0; i < 5; i++) {
    if (fork() != 0) continue;
    setsid();
    if (fork() != 0) _exit(0);
    setsid();
    write_for_ever();
  }
  usleep(100000);
  return 0;
}
