#define _GNU_SOURCE
#include <signal.h>
#include <unistd.h>

/* Each process lives only for a moment, so a clean-up that kills a list of process ids is always too late. */
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
