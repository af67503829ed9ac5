#define _GNU_SOURCE
#include <fcntl.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
  for (int key = 1; key < 20; key++) {
    shmget(key, 1 << 16, IPC_CREAT | 0666);
    semget(key, 10, IPC_CREAT | 0666);
    msgget(key, IPC_CREAT | 0666);
  }
  mq_open("/left", O_CREAT | O_RDWR, 0666, (struct mq_attr *)0);
  int memory = shm_open("/left", O_CREAT | O_RDWR, 0666);
  if (memory >= 0 && ftruncate(memory, 8 << 20) == 0) mmap(0, 8 << 20, PROT_WRITE, MAP_SHARED | MAP_POPULATE, memory, 0);
  /* A key of the user, which belongs to no process. */
  syscall(SYS_add_key, "user", "left", "behind", 6ul, -4);
  return 0;
}
