#define _GNU_SOURCE
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int main(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, 0);
  struct itimerval soon = {{0, 1000}, {0, 1000}};
  setitimer(ITIMER_REAL, &soon, 0);
  for (int i = 0; i < 100; i++) {
    timer_t timer;
    struct itimerspec again = {{0, 1000000}, {0, 1000000}};
    if (timer_create(CLOCK_MONOTONIC, 0, &timer) == 0) timer_settime(timer, 0, &again, 0);
  }
  for (int number = 34; number < 64; number++) sigqueue(getpid(), number, (union sigval){0});
  alarm(1);
  umask(0777);
  prctl(PR_SET_TIMERSLACK, 1000000000ul, 0, 0, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  usleep(50000);
  return 0;
}
