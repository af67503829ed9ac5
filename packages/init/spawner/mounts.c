#define _GNU_SOURCE
#include "mounts.h"

#include <mntent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/statvfs.h>

/* Returns whether the path is the directory or leads through it. */
static int is_within(const char *path, const char *directory) {
  size_t length = strlen(directory);
  if (strcmp(directory, "/") == 0) return 1;
  return strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static int is_needed(const char *mount_point, char *const paths[], int count) {
  for (int i = 0; i < count; i++) {
    if (is_within(paths[i], mount_point) || is_within(mount_point, paths[i])) return 1;
  }
  return 0;
}

/*
 * In a container /proc is partly covered, and /proc/sys read-only. The kernel then lets no user namespace mount a whole one, as each
 * sandbox does; root may.
 */
static int uncover_proc(void) {
  struct statvfs sys;
  if (statvfs("/proc/sys", &sys) < 0 || (sys.f_flag & ST_RDONLY) == 0) return 0;
  return mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

int keep_mounts(char *const paths[], int count) {
  struct mntent *entry;
  if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) return -1;
  /* The table is read to its end first: it changes with each mount that goes. */
  char **unneeded = NULL;
  size_t found = 0;
  FILE *table = setmntent("/proc/self/mounts", "re");
  if (table == NULL) return -1;
  while ((entry = getmntent(table)) != NULL) {
    if (is_needed(entry->mnt_dir, paths, count)) continue;
    unneeded = realloc(unneeded, (found + 1) * sizeof *unneeded);
    if (unneeded == NULL || (unneeded[found++] = strdup(entry->mnt_dir)) == NULL) return -1;
  }
  endmntent(table);
  /* The latest first. One that is hidden by another, or locked by a user namespace, stays. */
  while (found > 0) {
    umount2(unneeded[--found], MNT_DETACH | UMOUNT_NOFOLLOW);
    free(unneeded[found]);
  }
  free(unneeded);
  return uncover_proc();
}
