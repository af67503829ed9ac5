#define _GNU_SOURCE
#include <fcntl.h>
#include <mqueue.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

int main(void) {
  char role[16], message[32], start_time[32], name[64], text[64] = "";
  if (scanf("%*s %15s %*s %31s %*s %31s", role, message, start_time) != 3) return 1;
  struct timespec start = {(time_t)atof(start_time), 0};
  clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &start, NULL);
  snprintf(name, sizeof name, "/channel-%s", start_time);
  struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 32};
  if (strcmp(role, "sender") == 0) {
    mqd_t queue = mq_open(name, O_CREAT | O_RDWR, 0666, &attributes);
    mq_send(queue, message, strlen(message), 0);
    int shared = shm_open(name, O_CREAT | O_RDWR, 0666);
    if (write(shared, message, strlen(message)) < 0) puts("no shared memory");
    sem_open(name, O_CREAT, 0666, 7);
    usleep(600000);
    return 0;
  }
  usleep(300000);
  mqd_t queue = mq_open(name, O_RDONLY | O_NONBLOCK);
  if (queue >= 0 && mq_receive(queue, text, sizeof text, NULL) > 0) printf("GOT %s\n", text);
  int shared = shm_open(name, O_RDONLY, 0);
  if (shared >= 0 && read(shared, text, sizeof text) > 0) printf("GOT %s\n", text);
  if (sem_open(name, 0) != SEM_FAILED) puts("GOT a semaphore");
  usleep(300000);
  return 0;
}
