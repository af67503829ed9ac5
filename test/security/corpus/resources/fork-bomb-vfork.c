#define _GNU_SOURCE
#include <unistd.h>

int main(void) {
  for (;;) {
    if (fork() == 0) continue;
    if (vfork() == 0) {
      execl("/bin/sleep", "sleep", "100", (char *)0);
      _exit(1);
    }
  }
}
