#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

static long free_mib(void) {
  struct sysinfo info;
  sysinfo(&info);
  return (long)(info.freeram >> 20) * (long)info.mem_unit;
}

/* The receiver reads the free memory of the whole host from sysinfo; to send a 1 the sender takes 48 MiB. */
int main(void) {
  char role[16], message[32], start_time[32];
  if (scanf("%*s %15s %*s %31s %*s %31s", role, message, start_time) != 3) return 1;
  uint64_t bits = strtoull(message, NULL, 16), found = 0;
  int sending = strcmp(role, "sender") == 0;
  const size_t size = 48ul << 20;
  char *buffer = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct timespec next = {(time_t)atof(start_time), 0};
  clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &next, NULL);
  long start = free_mib();
  for (int bit = 63; bit >= 0; bit--) {
    next.tv_nsec += 80000000;
    if (next.tv_nsec >= 1000000000) next.tv_sec++, next.tv_nsec -= 1000000000;
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &next, NULL);
    if (sending && (bits >> bit & 1)) memset(buffer, 1, size);
    else if (sending) madvise(buffer, size, MADV_DONTNEED);
    usleep(60000);
    found = found << 1 | (uint64_t)(start - free_mib() > 24);
  }
  if (!sending) printf("GOT %016llx by free memory\n", (unsigned long long)found);
  return 0;
}
