#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void *second(void *unused) {
  usleep(200000);
  exit(44);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, second, NULL);
  pthread_exit(NULL);
}
