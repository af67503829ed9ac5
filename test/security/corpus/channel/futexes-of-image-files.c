#define _GNU_SOURCE
#include <glob.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096

/* The kernel identifies a futex in a mapped file by inode and offset, even in a file that neither job can write. */
static void *wait_for_wake(void *word) {
  struct timespec second = {1, 0};
  syscall(SYS_futex, word, FUTEX_WAIT, *(volatile uint32_t *)word, &second, NULL, 0);
  return NULL;
}

int main(void) {
  char role[16], message[32], start_time[32];
  if (scanf("%*s %15s %*s %31s %*s %31s", role, message, start_time) != 3) return 1;
  struct timespec start = {(time_t)atof(start_time), 0};
  uint64_t bits = strtoull(message, NULL, 16), received = 0;
  glob_t found;
  if (glob("/usr/libexec/gcc/*/*/cc1", 0, NULL, &found) != 0) return 1;
  int file = open(found.gl_pathv[0], O_RDONLY), sending = strcmp(role, "sender") == 0;
  unsigned char *map = mmap(NULL, 64 * PAGE, PROT_READ, MAP_SHARED, file, 0);
  if (map == MAP_FAILED) return 1;
  pthread_t threads[64];
  clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &start, NULL);
  for (int i = 0; i < 64 && sending; i++)
    if (bits >> (63 - i) & 1) pthread_create(&threads[i], NULL, wait_for_wake, map + i * PAGE);
  usleep(500000);
  for (int i = 0; i < 64 && !sending; i++)
    received = received << 1 | (syscall(SYS_futex, map + i * PAGE, FUTEX_WAKE, INT_MAX, NULL, NULL, 0) > 0);
  usleep(300000);
  if (!sending) printf("GOT %016llx by futexes\n", (unsigned long long)received);
  return 0;
}
