#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *rest(void *unused) {
  pause();
  return unused;
}

int main(void) {
  pthread_t thread;
  int count = 0;
  while (count < 100000 && pthread_create(&thread, NULL, rest, NULL) == 0) count++;
  usleep(100000);
  return count < 40 ? 0 : 1;
}
