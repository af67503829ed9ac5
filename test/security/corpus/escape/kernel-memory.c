#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/io.h>
#include <unistd.h>

int main(void) {
  const char *paths[] = {"/proc/kcore", "/dev/mem", "/dev/kmem", "/dev/port", "/dev/cpu/0/msr", "/proc/kpagecount", "/proc/kpageflags", "/proc/vmallocinfo", "/sys/kernel/notes.raw", "/dev/kvm", "/dev/vhost-net", "/dev/fuse", "/dev/loop-control", "/dev/net/tun"};
  char text[512];
  for (unsigned i = 0; i < sizeof paths / sizeof *paths; i++) {
    int fd = open(paths[i], O_RDWR);
    if (fd < 0) fd = open(paths[i], O_RDONLY);
    if (fd >= 0 && read(fd, text, sizeof text) > 0) printf("ESCAPED: read %s\n", paths[i]);
  }
  FILE *symbols = fopen("/proc/kallsyms", "r");
  while (symbols != NULL && fgets(text, sizeof text, symbols) != NULL) {
    if (strncmp(text, "0000000000000000", 16) == 0) continue;
    printf("ESCAPED: an address of the kernel: %s", text);
    break;
  }
  if (iopl(3) == 0 || ioperm(0x70, 2, 1) == 0) puts("ESCAPED: ports");
  return 0;
}
