#define _GNU_SOURCE
#include "run/ipc.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "files/clear_directory.h"

#define MQUEUE_MAGIC 0x19800202

union semun {
  int val;
  struct semid_ds *buf;
  unsigned short *array;
  struct seminfo *__buf;
};

/* A kernel without System V IPC has nothing to remove. */
static int none(void) {
  return errno == ENOSYS ? 0 : -1;
}

static int remove_segments(void) {
  struct shm_info info;
  struct shmid_ds segment;
  int last = shmctl(0, SHM_INFO, (struct shmid_ds *)(void *)&info);
  if (last < 0) return none();
  for (int i = 0; i <= last; i++) {
    int id = shmctl(i, SHM_STAT, &segment);
    if (id >= 0) shmctl(id, IPC_RMID, NULL);
  }
  return shmctl(0, SHM_INFO, (struct shmid_ds *)(void *)&info) >= 0 && info.used_ids == 0 ? 0 : -1;
}

static int remove_semaphores(void) {
  struct seminfo info;
  struct semid_ds set;
  int last = semctl(0, 0, SEM_INFO, (union semun){.__buf = &info});
  if (last < 0) return none();
  for (int i = 0; i <= last; i++) {
    int id = semctl(i, 0, SEM_STAT, (union semun){.buf = &set});
    if (id >= 0) semctl(id, 0, IPC_RMID);
  }
  return semctl(0, 0, SEM_INFO, (union semun){.__buf = &info}) >= 0 && info.semusz == 0 ? 0 : -1;
}

static int remove_queues(void) {
  struct msginfo info;
  struct msqid_ds queue;
  int last = msgctl(0, MSG_INFO, (struct msqid_ds *)(void *)&info);
  if (last < 0) return none();
  for (int i = 0; i <= last; i++) {
    int id = msgctl(i, MSG_STAT, &queue);
    if (id >= 0) msgctl(id, IPC_RMID, NULL);
  }
  return msgctl(0, MSG_INFO, (struct msqid_ds *)(void *)&info) >= 0 && info.msgpool == 0 ? 0 : -1;
}

static int remove_posix_queues(void) {
  struct statfs status;
  int directory = open("/dev/mqueue", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  /* If it is not mounted, the program's filter refuses mq_open. */
  if (directory < 0) return 0;
  int left = 0;
  if (fstatfs(directory, &status) == 0 && status.f_type == MQUEUE_MAGIC) {
    struct stat before;
    left = fstat(directory, &before) < 0 ? -1 : clear_directory(directory, before.st_mode & 07777);
  }
  close(directory);
  return left;
}

int ipc_remove(void) {
  int segments = remove_segments(), semaphores = remove_semaphores(), queues = remove_queues();
  int posix = remove_posix_queues();
  return segments == 0 && semaphores == 0 && queues == 0 && posix == 0 ? 0 : -1;
}
