#define _GNU_SOURCE
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
  int instances = 0, watches = 0, watcher = inotify_init1(0);
  char path[64];
  for (int i = 0; i < 100000; i++) {
    snprintf(path, sizeof path, "/workspace/%d", i);
    if (mkdir(path, 0700) < 0 || inotify_add_watch(watcher, path, IN_ALL_EVENTS) < 0) break;
    watches++;
  }
  while (inotify_init1(0) >= 0) instances++;
  return instances < 256 && watches < 100000 ? 0 : 1;
}
