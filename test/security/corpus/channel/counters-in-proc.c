#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Returns the number after a word in a file of /proc that counts for the whole host. */
static long number(const char *path, const char *word) {
  static char text[1 << 16];
  int fd = open(path, O_RDONLY);
  long size = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  close(fd);
  text[size < 0 ? 0 : size] = '\0';
  char *found = strstr(text, word);
  return found == NULL ? 0 : atol(found + strlen(word));
}

/* Counters of the host in /proc: to send a 1 the sender holds a huge page and starts 50 processes. */
int main(void) {
  char role[16], message[32], start_time[32];
  if (scanf("%*s %15s %*s %31s %*s %31s", role, message, start_time) != 3) return 1;
  uint64_t bits = strtoull(message, NULL, 16), by_pages = 0, by_forks = 0;
  int sending = strcmp(role, "sender") == 0;
  const size_t size = 8ul << 20;
  char *buffer = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(buffer, size, MADV_HUGEPAGE);
  struct timespec next = {(time_t)atof(start_time), 0};
  clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &next, NULL);
  long pages = number("/proc/meminfo", "AnonHugePages:");
  for (int bit = 63; bit >= 0; bit--) {
    long forks = number("/proc/stat", "processes ");
    next.tv_nsec += 80000000;
    if (next.tv_nsec >= 1000000000) next.tv_sec++, next.tv_nsec -= 1000000000;
    if (sending && (bits >> bit & 1)) {
      memset(buffer, 1, size);
      for (int i = 0; i < 50; i++) if (vfork() == 0) _exit(0); else wait(NULL);
    } else if (sending) {
      madvise(buffer, size, MADV_DONTNEED);
    }
    usleep(50000);
    by_pages = by_pages << 1 | (uint64_t)(number("/proc/meminfo", "AnonHugePages:") - pages > 2048);
    by_forks = by_forks << 1 | (uint64_t)(number("/proc/stat", "processes ") - forks > 40);
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &next, NULL);
  }
  if (!sending) printf("GOT %016llx by huge pages\nGOT %016llx by processes\n", (unsigned long long)by_pages, (unsigned long long)by_forks);
  return 0;
}
