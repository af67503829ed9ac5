#define _GNU_SOURCE
#include "file_systems.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"

static unsigned long flags_of(const char *words) {
  unsigned long flags = MS_NOSUID;
  if (strstr(words, "device") == NULL) flags |= MS_NODEV;
  if (strstr(words, "noexec") != NULL) flags |= MS_NOEXEC;
  if (strstr(words, "readonly") != NULL) flags |= MS_RDONLY;
  return flags;
}

void mount_overlay(char **values) {
  char options[8192];
  int length = snprintf(options, sizeof options, "lowerdir=%s:%s", values[0], values[1]);
  if (length < 0 || (size_t)length >= sizeof options) errno = ENAMETOOLONG;
  else if (mount("overlay", values[2], "overlay", MS_NOSUID | MS_NODEV | MS_RDONLY, options) == 0) return;
  fail("mount over", values[2]);
}

void bind_mount(char **values) {
  if (mount(values[0], values[1], NULL, MS_BIND, NULL) < 0) fail("bind", values[0]);
  if (mount(NULL, values[1], NULL, MS_BIND | MS_REMOUNT | flags_of(values[2]), NULL) < 0) fail("restrict", values[1]);
}

void mount_tmpfs(char **values) {
  if (mount("tmpfs", values[0], "tmpfs", flags_of(values[2]), values[1]) < 0) fail("mount", values[0]);
}

void mount_proc(char **values) {
  if (mount("proc", values[0], "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0) fail("mount", values[0]);
}

void make_directory(char **values) {
  if (mkdir(values[0], 0755) < 0) fail("make", values[0]);
}

static void make_file(char **values) {
  int file = open(values[0], O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
  if (file < 0) fail("make", values[0]);
  close(file);
}

/* A device of the sandbox's own; where the kernel allows none, as in a user namespace, the host's. */
void make_device(char **values) {
  struct stat found;
  if (stat(values[0], &found) < 0) fail("find", values[0]);
  if (mknod(values[1], S_IFCHR, found.st_rdev) == 0) {
    if (chmod(values[1], 0666) < 0) fail("share", values[1]);
    return;
  }
  if (errno != EPERM) fail("make", values[1]);
  char *target[] = {values[1]}, *bind[] = {values[0], values[1], "noexec,device"};
  make_file(target);
  bind_mount(bind);
}

void make_link(char **values) {
  if (symlink(values[0], values[1]) < 0) fail("make", values[1]);
}

void restrict_mount(char **values) {
  if (mount(NULL, values[0], NULL, MS_BIND | MS_REMOUNT | flags_of(values[1]), NULL) < 0) fail("restrict", values[0]);
}
