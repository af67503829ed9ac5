#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

static void *wait_for_ever(void *unused) {
  (void)unused;
  pause();
  return 0;
}

int main(void) {
  pthread_t thread;
  for (int i = 0; i < 20; i++) {
    if (fork() == 0) {
      while (pthread_create(&thread, 0, wait_for_ever, 0) == 0) continue;
      for (;;) pause();
    }
  }
  usleep(200000);
  return 0;
}
