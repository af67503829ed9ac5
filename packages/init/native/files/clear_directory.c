#define _GNU_SOURCE
#include "files/clear_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "common/util.h"

static char outer[16384] __attribute__((aligned(8)));
static char inner[16384] __attribute__((aligned(8)));

struct pass {
  int root;
  int directory; /* the child of root that is being emptied */
  int progress;
};

static int is_directory(int parent, const char *name, unsigned char type) {
  struct stat status;
  if (type != DT_UNKNOWN) return type == DT_DIR;
  return fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
}

/* Emptying a directory needs read permission; moving it needs write permission, because its ".." changes. */
static void open_up(int parent, const char *name) {
  if (fchmodat(parent, name, 0700, 0) < 0) {
    /* Then it stays, and the final check finds it. */
  }
}

/* Moves a directory up into the root, under a name that the program has not taken. */
static int hoist(struct pass *pass, const char *name) {
  static uint64_t counter;
  for (;;) {
    char fresh[32];
    snprintf(fresh, sizeof fresh, ".%llx", (unsigned long long)counter++);
    if (renameat(pass->directory, name, pass->root, fresh) == 0) return 0;
    if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR && errno != EISDIR) return -1;
  }
}

static int remove_inner(const char *name, unsigned char type, void *context) {
  struct pass *pass = context;
  if (!is_directory(pass->directory, name, type)) {
    if (unlinkat(pass->directory, name, 0) == 0) pass->progress = 1;
    return 0;
  }
  open_up(pass->directory, name);
  if (unlinkat(pass->directory, name, AT_REMOVEDIR) == 0 || hoist(pass, name) == 0) pass->progress = 1;
  return 0;
}

static int remove_outer(const char *name, unsigned char type, void *context) {
  struct pass *pass = context;
  if (!is_directory(pass->root, name, type)) {
    if (unlinkat(pass->root, name, 0) == 0) pass->progress = 1;
    return 0;
  }
  open_up(pass->root, name);
  pass->directory = openat(pass->root, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (pass->directory >= 0) {
    each_entry(pass->directory, inner, sizeof inner, remove_inner, pass);
    close(pass->directory);
  }
  if (unlinkat(pass->root, name, AT_REMOVEDIR) == 0) pass->progress = 1;
  return 0;
}

static int any_entry(const char *name, unsigned char type, void *context) {
  (void)name;
  (void)type;
  (void)context;
  return 1;
}

/* Extended attributes and ACLs of the mount itself would remain for the next run. */
static int strip_attributes(int root) {
  static char names[65536];
  for (int turn = 0; turn < 2; turn++) {
    ssize_t size = flistxattr(root, names, sizeof names);
    if (size < 0) return errno == ENOTSUP || errno == ENOSYS ? 0 : -1;
    int left = 0;
    for (ssize_t at = 0; at < size; at += (ssize_t)strlen(names + at) + 1) {
      if (strncmp(names + at, "security.", 9) == 0) continue;
      left = 1;
      fremovexattr(root, names + at);
    }
    if (!left) return 0;
  }
  return -1;
}

/*
 * Nested directories are moved up and emptied there, so that any depth needs only two descriptors and short paths.
 */
int clear_directory(int root, mode_t mode) {
  struct pass pass = {.root = root};
  if (fchmod(root, mode | 0700) < 0) {
    /* Owned by another user, so no program could have changed its mode. */
  }
  do {
    pass.progress = 0;
    if (each_entry(root, outer, sizeof outer, remove_outer, &pass) < 0) return -1;
  } while (pass.progress);
  struct stat status;
  if (strip_attributes(root) < 0 || (fchmod(root, mode) < 0 && errno != EPERM)) return -1;
  if (fstat(root, &status) < 0 || (status.st_mode & 07777) != mode) return -1;
  return each_entry(root, outer, sizeof outer, any_entry, NULL) == 0 ? 0 : -1;
}
