#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

static void *burn(void *unused) {
  for (;;) __asm__ volatile("" ::: "memory");
  return unused;
}

int main(void) {
  pthread_t thread;
  for (int i = 0; i < 40; i++) pthread_create(&thread, NULL, burn, NULL);
  pause();
}
