#define _GNU_SOURCE
#include "install.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frames/wire.h"

static int complain(const char *what, const char *path) {
  dprintf(STDERR_FILENO, "init: %s %s: %s\n", what, path, strerror(errno));
  return 1;
}

static int copy(int from, int to) {
  static char buffer[64 * 1024];
  ssize_t got;
  while ((got = read(from, buffer, sizeof buffer)) > 0) {
    for (ssize_t at = 0; at < got;) {
      ssize_t put = write(to, buffer + at, (size_t)(got - at));
      if (put < 0) return -1;
      at += put;
    }
  }
  return got < 0 ? -1 : 0;
}

/*
 * All containers share this file. A program that could open it or watch its directory could signal other containers by locks
 * and notice their starts. gVisor gets a readable copy: its locks and watches end at the sandbox.
 */
static int hide_directory(const char *target) {
  char path[MAX_PATH_BYTES + 1];
  snprintf(path, sizeof path, "%s", target);
  return chmod(dirname(path), 0711);
}

static int sync_directory(const char *target) {
  char path[MAX_PATH_BYTES + 1];
  snprintf(path, sizeof path, "%s", target);
  int directory = open(dirname(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return -1;
  int synced = fsync(directory);
  close(directory);
  return synced;
}

/* Removes the running file if it was put next to the target; elsewhere it belongs to another installation. */
static void remove_source(const char *target) {
  char self[MAX_PATH_BYTES + 1], source[MAX_PATH_BYTES + 1], destination[MAX_PATH_BYTES + 1];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length <= 0) return;
  self[length] = '\0';
  snprintf(source, sizeof source, "%s", self);
  snprintf(destination, sizeof destination, "%s", target);
  if (strcmp(self, target) != 0 && strcmp(dirname(source), dirname(destination)) == 0) unlink(self);
}

int install_to(const char *target, mode_t mode) {
  char temporary[MAX_PATH_BYTES + 1];
  int size = snprintf(temporary, sizeof temporary, "%s.%d", target, (int)getpid());
  if (size < 0 || size >= (int)sizeof temporary) {
    errno = ENAMETOOLONG;
    return complain("cannot install to", target);
  }
  int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (from < 0) return complain("cannot read", "/proc/self/exe");
  unlink(temporary);
  int to = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (to < 0) return complain("cannot write", temporary);
  int done = copy(from, to) == 0 && fchmod(to, mode) == 0 && fsync(to) == 0 && close(to) == 0 &&
             rename(temporary, target) == 0 && hide_directory(target) == 0 && sync_directory(target) == 0;
  if (done) {
    remove_source(target);
    return 0;
  }
  int code = complain("cannot install to", target);
  unlink(temporary);
  return code;
}
