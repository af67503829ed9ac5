#define _GNU_SOURCE
#include <signal.h>
#include <unistd.h>

/* Init reaps orphans too, and must not report their exit codes as the program's. */
int main(void) {
  for (int i = 0; i < 200; i++) {
    int child = fork();
    if (child == 0) {
      if (fork() == 0) {
        usleep((unsigned)i * 500);
        if (i % 3 == 0) kill(getpid(), SIGKILL);
        _exit(0);
      }
      _exit(0);
    }
  }
  usleep(300000);
  return 43;
}
