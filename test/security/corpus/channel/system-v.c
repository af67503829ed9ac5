#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <time.h>
#include <unistd.h>

static struct { long type; char text[32]; } letter = {1, ""};

int main(void) {
  char role[16], message[32], start_time[32];
  if (scanf("%*s %15s %*s %31s %*s %31s", role, message, start_time) != 3) return 1;
  struct timespec start = {(time_t)atof(start_time), 0};
  clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &start, NULL);
  key_t key = (key_t)atol(start_time);
  if (strcmp(role, "sender") == 0) {
    int shared = shmget(key, 4096, IPC_CREAT | 0666), queue = msgget(key, IPC_CREAT | 0666), set = semget(key, 64, IPC_CREAT | 0666);
    char *memory = shmat(shared, NULL, 0);
    if (memory != (void *)-1) strcpy(memory, message);
    strcpy(letter.text, message);
    msgsnd(queue, &letter, sizeof letter.text, 0);
    for (unsigned short i = 0; i < strlen(message); i++) semctl(set, i, SETVAL, message[i]);
    usleep(600000);
    return 0;
  }
  usleep(300000);
  int shared = shmget(key, 0, 0), queue = msgget(key, 0), set = semget(key, 0, 0);
  char *memory = shared < 0 ? (void *)-1 : shmat(shared, NULL, 0);
  if (memory != (void *)-1) printf("GOT %s\n", memory);
  if (queue >= 0 && msgrcv(queue, &letter, sizeof letter.text, 0, IPC_NOWAIT) > 0) printf("GOT %s\n", letter.text);
  if (set >= 0) printf("GOT %c\n", semctl(set, 0, GETVAL));
  usleep(300000);
  return 0;
}
