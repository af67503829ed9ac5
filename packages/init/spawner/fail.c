#define _GNU_SOURCE
#include "fail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

_Noreturn void fail(const char *what, const char *name) {
  dprintf(STDERR_FILENO, "cannot %s %s: %s\n", what, name, strerror(errno));
  _exit(EXIT_NOT_STARTED);
}

void write_file(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0 || write(file, text, strlen(text)) < 0) fail("write", path);
  close(file);
}
