#define _GNU_SOURCE
#include <fcntl.h>
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096
#define STEP (128l << 10)
#define EXCLUSIVE 56

static unsigned char *maps[64];

/* The kernel shows whether another process has mapped a page too: in a bit of pagemap, and in smaps as Shared_Clean. */
static uint64_t by_pagemap(void) {
  uint64_t received = 0, entry;
  int pagemap = open("/proc/self/pagemap", O_RDONLY);
  for (int i = 0; i < 64; i++) {
    if (pread(pagemap, &entry, 8, (off_t)((uintptr_t)maps[i] / PAGE * 8)) != 8) return 0;
    received = received << 1 | !(entry >> EXCLUSIVE & 1);
  }
  return received;
}

static uint64_t by_smaps(void) {
  uint64_t received = 0;
  char line[512];
  FILE *smaps = fopen("/proc/self/smaps", "r");
  if (smaps == NULL) return 0;
  for (int page = -1; fgets(line, sizeof line, smaps) != NULL;) {
    unsigned long from;
    if (sscanf(line, "%lx-", &from) == 1 && strchr(line, '-') != NULL) {
      page = -1;
      for (int i = 0; i < 64; i++)
        if ((unsigned long)(uintptr_t)maps[i] == from) page = i;
    }
    int size;
    if (page >= 0 && sscanf(line, "Shared_Clean: %d", &size) == 1 && size > 0) received |= 1ull << (63 - page);
  }
  return received;
}

int main(void) {
  char role[16], message[32], start_time[32];
  if (scanf("%*s %15s %*s %31s %*s %31s", role, message, start_time) != 3) return 1;
  struct timespec start = {(time_t)atof(start_time), 0};
  uint64_t bits = strtoull(message, NULL, 16), one, two;
  glob_t found;
  if (glob("/usr/libexec/gcc/*/*/lto1", 0, NULL, &found) != 0) return 1;
  int file = open(found.gl_pathv[0], O_RDONLY), sending = strcmp(role, "sender") == 0;
  clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &start, NULL);
  for (int i = 0; i < 64; i++) {
    if (sending && !(bits >> (63 - i) & 1)) continue;
    /* Maps each page alone, so that the kernel maps no neighbours with it, and with gaps, so that it merges no mappings. */
    unsigned char *buffer = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    maps[i] = mmap(buffer + PAGE, PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, file, i * STEP);
    if (maps[i] == MAP_FAILED) return 1;
    (void)*(volatile unsigned char *)maps[i];
  }
  usleep(400000);
  one = by_pagemap();
  two = by_smaps();
  usleep(400000);
  if (!sending) printf("GOT %016llx by pagemap\nGOT %016llx by smaps\n", (unsigned long long)one, (unsigned long long)two);
  return 0;
}
