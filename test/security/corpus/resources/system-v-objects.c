#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <unistd.h>

int main(void) {
  long key = 0;
  static struct { long type; char text[8000]; } message = {1, {0}};
  char name[16];
  char value[128];
  while (scanf("%15s %127[^\n]", name, value) == 2) {
    if (strcmp(name, "key") == 0) sscanf(value, "%ld", &key);
  }
  for (int i = 0; i < 40000; i++) {
    key_t use = i == 0 ? (key_t)key : IPC_PRIVATE;
    int queue = msgget(use, IPC_CREAT | 0666);
    while (queue >= 0 && msgsnd(queue, &message, sizeof message.text, IPC_NOWAIT) == 0) continue;
    if (semget(use, 250, IPC_CREAT | 0666) < 0 && shmget(use, 4096, IPC_CREAT | 0666) < 0 && queue < 0) break;
  }
  return 0;
}
