#define _GNU_SOURCE
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void on(int number) { (void)number; }

int main(void) {
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
  struct itimerspec often = {{0, 1}, {0, 1}};
  struct itimerval real = {{0, 1}, {0, 1}};
  for (int number = 1; number < 64; number++) signal(number, on);
  setitimer(ITIMER_REAL, &real, NULL);
  setitimer(ITIMER_PROF, &real, NULL);
  for (int i = 0; i < 100000; i++) {
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) timer_settime(timer, 0, &often, NULL);
  }
  for (;;) pause();
}
