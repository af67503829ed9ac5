#define _GNU_SOURCE
#include <signal.h>
#include <unistd.h>

/* Each lives for a moment only, so whoever kills by a list of ids always comes too late. */
int main(void) {
  signal(SIGCHLD, SIG_IGN);
  for (int i = 0; i < 8; i++) {
    if (fork() == 0) {
      for (;;) {
        setsid();
        if (fork() > 0) _exit(0);
      }
    }
  }
  usleep(300000);
  return 0;
}
