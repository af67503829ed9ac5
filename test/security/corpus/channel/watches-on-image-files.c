#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* One shared file or folder per bit: to send a 1 the sender opens, reads and touches it; the receiver watches it. */
static const char *const paths[] = {"/etc/passwd", "/etc/group", "/etc/shells", "/etc/issue", "/etc/profile", "/etc/hosts", "/etc", "/usr/bin", "/usr/lib", "/isopod", "/isopod/init", "/dev/null", "/proc/version", "/sys/kernel", "/dev/zero", "/bin/sh"};

int main(void) {
  char role[16], message[32], start_time[32], events[65536];
  if (scanf("%*s %15s %*s %31s %*s %31s", role, message, start_time) != 3) return 1;
  struct timespec start = {(time_t)atof(start_time), 0};
  int watcher = inotify_init1(IN_NONBLOCK), sending = strcmp(role, "sender") == 0;
  for (int i = 0; i < 16 && !sending; i++) inotify_add_watch(watcher, paths[i], IN_ALL_EVENTS);
  clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &start, NULL);
  for (int i = 0; i < 16 && sending; i++) {
    int fd = open(paths[i], O_RDONLY);
    if (read(fd, events, 64) < 0) continue;
    utimensat(AT_FDCWD, paths[i], NULL, 0);
    close(fd);
  }
  usleep(500000);
  ssize_t got = sending ? 0 : read(watcher, events, sizeof events);
  for (ssize_t at_byte = 0; at_byte < got;) {
    struct inotify_event *event = (struct inotify_event *)(void *)(events + at_byte);
    printf("GOT event %x on %s\n", event->mask, paths[(event->wd - 1) & 15]);
    at_byte += (ssize_t)(sizeof *event + event->len);
  }
  return 0;
}
