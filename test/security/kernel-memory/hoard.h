#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Limit of the program itself, so that the host loses no more than this even if no other limit holds. */
#define MAX_BYTES (1200L << 20)

static struct shared {
  long objects, bytes;
  int finished;
  long long deadline;
} *shared;

static long long ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static void begin(int milliseconds) {
  shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  shared->deadline = ms() + milliseconds;
}

static long made(void) { return __atomic_load_n(&shared->objects, __ATOMIC_RELAXED); }

/* Counts an object of about this size. Returns 0 once the maximum or the deadline is reached. */
static int more(long bytes) {
  __atomic_add_fetch(&shared->objects, 1, __ATOMIC_RELAXED);
  return __atomic_add_fetch(&shared->bytes, bytes, __ATOMIC_RELAXED) < MAX_BYTES && ms() < shared->deadline;
}

static void finish(void) {
  __atomic_add_fetch(&shared->finished, 1, __ATOMIC_RELAXED);
  for (;;) pause();
}

static void await(int processes) {
  while (__atomic_load_n(&shared->finished, __ATOMIC_RELAXED) < processes - 1 && ms() < shared->deadline) usleep(10000);
  usleep(300000);
}
