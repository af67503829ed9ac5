#define _GNU_SOURCE
#include "files/open_ahead.h"

#include <fcntl.h>
#include <unistd.h>

void open_ahead(char *const *paths) {
  for (; *paths != NULL; paths++) {
    int fd = open(*paths, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0) close(fd);
  }
}
