#define _GNU_SOURCE
#include "files/path.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frames/wire.h"

static int is_name(const char *part) {
  return part[0] != '\0' && strcmp(part, ".") != 0 && strcmp(part, "..") != 0;
}

static int open_directory(int parent, const char *name, int make) {
  if (make && mkdirat(parent, name, 0700) < 0 && errno != EEXIST) return -1;
  /* With O_DIRECTORY gVisor follows a link despite O_NOFOLLOW. */
  struct stat status;
  if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) < 0) return -1;
  if (!S_ISDIR(status.st_mode)) {
    errno = ENOTDIR;
    return -1;
  }
  return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/*
 * Opens each part separately, because gVisor lacks openat2. No program runs that could move a directory between two steps.
 */
int open_parent(char *path, int make, const char **leaf) {
  int directory = open(WORKSPACE, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  char *part = path;
  for (;;) {
    char *slash = strchr(part, '/');
    if (slash != NULL) *slash = '\0';
    if (directory >= 0 && !is_name(part)) {
      close(directory);
      errno = EINVAL;
      return -1;
    }
    if (directory < 0 || slash == NULL) {
      *leaf = part;
      return directory;
    }
    int next = open_directory(directory, part, make);
    int error = errno;
    close(directory);
    errno = error;
    directory = next;
    if (directory < 0) return -1;
    part = slash + 1;
  }
}
