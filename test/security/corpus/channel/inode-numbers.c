#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* New pipes get their inode numbers from one counter of the kernel, of which each processor reserves a range. */
static unsigned long number(void) {
  int ends[2];
  struct stat status = {0};
  if (pipe(ends) < 0 || fstat(ends[0], &status) < 0) return 0;
  close(ends[0]);
  close(ends[1]);
  return status.st_ino;
}

int main(void) {
  char role[16], message[32], start_time[32];
  if (scanf("%*s %15s %*s %31s %*s %31s", role, message, start_time) != 3) return 1;
  uint64_t bits = strtoull(message, NULL, 16), found = 0;
  int sending = strcmp(role, "sender") == 0;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  sched_setaffinity(0, sizeof one, &one);
  struct timespec next = {(time_t)atof(start_time), 0};
  for (int bit = 63; bit >= 0; bit--) {
    next.tv_nsec += 30000000;
    if (next.tv_nsec >= 1000000000) next.tv_sec++, next.tv_nsec -= 1000000000;
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &next, NULL);
    unsigned long before = number();
    usleep(3000);
    for (int i = 0; i < 400 && sending && (bits >> bit & 1); i++) number();
    usleep(12000);
    found = found << 1 | (uint64_t)(number() - before > 200);
  }
  if (!sending) printf("GOT %016llx by inode numbers\n", (unsigned long long)found);
  return 0;
}
