#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>

int main(void) {
  for (int i = 0; i < 4; i++) {
    if (fork() != 0) continue;
    for (;;) {
      setsid();
      if (fork() != 0) _exit(0);
    }
  }
  usleep(100000);
  return 0;
}
