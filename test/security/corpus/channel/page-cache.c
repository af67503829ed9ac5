#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define CACHESTAT 451
#define STEP (512l << 10)

/* All containers share the cached pages of image files, so the pages in memory show what another container has read. */
int main(void) {
  char role[16], message[32], start_time[32], text[64];
  if (scanf("%*s %15s %*s %31s %*s %31s", role, message, start_time) != 3) return 1;
  struct timespec start = {(time_t)atof(start_time), 0};
  uint64_t bits = strtoull(message, NULL, 16), by_time = 0, by_nowait = 0, by_mincore = 0, by_stat = 0;
  int file = open("/usr/libexec/gcc/x86_64-linux-gnu/14/cc1", O_RDONLY), sending = strcmp(role, "sender") == 0;
  if (file < 0) return 1;
  posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM);
  unsigned char *map = mmap(NULL, 64 * STEP, PROT_READ, MAP_SHARED, file, 0);
  clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &start, NULL);
  if (!sending) {
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    usleep(400000);
  } else {
    usleep(200000);
  }
  for (int i = 0; i < 64; i++) {
    off_t offset = i * STEP;
    if (sending) {
      if (bits >> (63 - i) & 1 && pread(file, text, 1, offset) < 0) return 1;
      continue;
    }
    unsigned char resident = 0;
    uint64_t range[2] = {(uint64_t)offset, 4096}, stat[5] = {0};
    struct iovec into = {text, 1};
    struct timespec one, two;
    mincore(map + offset, 4096, &resident);
    by_mincore = by_mincore << 1 | (resident & 1);
    if (syscall(CACHESTAT, file, range, stat, 0) < 0) stat[0] = 0;
    by_stat = by_stat << 1 | (stat[0] > 0);
    by_nowait = by_nowait << 1 | (preadv2(file, &into, 1, offset, RWF_NOWAIT) > 0);
    clock_gettime(CLOCK_MONOTONIC, &one);
    if (pread(file, text, 1, offset) < 0) return 1;
    clock_gettime(CLOCK_MONOTONIC, &two);
    by_time = by_time << 1 | ((two.tv_sec - one.tv_sec) * 1000000000l + two.tv_nsec - one.tv_nsec < 20000);
  }
  usleep(300000);
  if (!sending) printf("GOT %016llx by time\nGOT %016llx by nowait\nGOT %016llx by mincore\nGOT %016llx by cachestat\n", (unsigned long long)by_time, (unsigned long long)by_nowait, (unsigned long long)by_mincore, (unsigned long long)by_stat);
  return 0;
}
