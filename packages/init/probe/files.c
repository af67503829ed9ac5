#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe.h"

#define TEXT 4096

static void open_below(const char *root, const char *path) {
  char full[TEXT], text[256];
  snprintf(full, sizeof full, "%s%s", root, path);
  struct stat status;
  if (stat(full, &status) < 0) return;
  if (slurp(full, text, sizeof text) < 0) text[0] = '\0';
  got("%s is there: %.200s", full, text);
}

/* The arguments are files of the worker's host; none may be reachable. */
void files(int count, char **args) {
  static const char *const roots[] = {"", "/proc/1/root", "/proc/self/root", "/proc/1/cwd", "/workspace/../../..", "/host",
                                      "/rootfs", "/mnt", "/isopod"};
  for (int i = 0; i < count; i++) {
    for (unsigned root = 0; root < sizeof roots / sizeof *roots; root++) open_below(roots[root], args[i]);
  }
}

/* Places that an image may leave writable: the errno must come from the read-only file system, not from a mode. */
void read_only(int count, char **args) {
  (void)count, (void)args;
  static const char *const folders[] = {"/",    "/bin",  "/boot", "/etc",  "/home", "/isopod",   "/lib", "/media",
                                        "/mnt", "/opt",  "/proc", "/root", "/run",  "/run/lock", "/srv", "/sys",
                                        "/usr", "/usr/local/bin", "/var", "/var/lib", "/var/log", "/var/tmp", "/sys/fs/cgroup"};
  for (unsigned i = 0; i < sizeof folders / sizeof *folders; i++) {
    char path[256];
    snprintf(path, sizeof path, "%s/isopod-canary", folders[i]);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) continue;
    got("%s can be written to", folders[i]);
    close(fd);
    unlink(path);
  }
  if (mkdir("/isopod-canary", 0700) == 0 || errno == EACCES) got("the root file system is not read-only");
}

static int is_one_of(const char *word, const char *const *list, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    if (strcmp(word, list[i]) == 0) return 1;
  }
  return 0;
}

/* /dev may have only what the runtime specification lists and the arguments name, and never a disk. */
void devices(int count, char **args) {
  static const char *const known[] = {"null", "zero", "full", "random", "urandom", "tty", "ptmx", "console"};
  DIR *folder = opendir("/dev");
  if (folder == NULL) {
    untried("/dev cannot be read: %s", strerror(errno));
    return;
  }
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    struct stat status;
    if (fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0) continue;
    if (S_ISBLK(status.st_mode)) got("/dev/%s is a disk", entry->d_name);
    else if (S_ISCHR(status.st_mode) && !is_one_of(entry->d_name, known, sizeof known / sizeof *known) &&
             !is_one_of(entry->d_name, (const char *const *)args, (unsigned)count))
      got("/dev/%s is a device", entry->d_name);
  }
  closedir(folder);
  static const char *const nodes[] = {"/workspace/disk", "/tmp/disk", "/dev/shm/disk"};
  for (unsigned i = 0; i < sizeof nodes / sizeof *nodes; i++) {
    if (mknod(nodes[i], S_IFBLK | 0600, (dev_t)0x801) == 0) got("made the device %s", nodes[i]);
    unlink(nodes[i]);
    if (mknod(nodes[i], S_IFCHR | 0600, (dev_t)0x101) == 0) got("made the device %s", nodes[i]);
  }
}

/* Only the three standard streams: a descriptor that a runtime leaks leads to its host (CVE-2024-21626). */
void descriptors(int count, char **args) {
  (void)count, (void)args;
  for (int fd = 3; fd < 1024; fd++) {
    if (fcntl(fd, F_GETFD) >= 0) got("descriptor %d was left open", fd);
  }
  char where[TEXT];
  if (getcwd(where, sizeof where) == NULL || strcmp(where, "/workspace") != 0) got("started in %s", where);
}

static int folder_is_empty(const char *path) {
  DIR *folder = opendir(path);
  if (folder == NULL) return 0;
  int entries = 0;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) entries += entry->d_name[0] != '.';
  closedir(folder);
  return entries == 0;
}

/* The arguments are paths that must be masked: absent or empty. */
void masks(int count, char **args) {
  char text[16];
  for (int i = 0; i < count; i++) {
    struct stat status;
    if (lstat(args[i], &status) < 0) continue;
    if (S_ISDIR(status.st_mode)) {
      if (!folder_is_empty(args[i])) got("%s is not covered", args[i]);
      continue;
    }
    int null = S_ISCHR(status.st_mode) && status.st_rdev == (dev_t)0x103;
    if (!null && slurp(args[i], text, sizeof text) != 0) got("%s is not covered", args[i]);
  }
}

/* Plants links under the names of output files; a careless host would follow them to its own file, which the argument names. */
void artifact(int count, char **args) {
  const char *secret = count > 0 ? args[0] : "/etc/passwd";
  int made = 0;
  made += symlink(secret, "link") == 0;
  /* Readable for init, unlike a file of the host, and in every container. */
  made += symlink("/proc/1/status", "status") == 0;
  made += symlink("/proc/1", "folder") == 0;
  made += mkfifo("pipe", 0666) == 0;
  made += link("probe", "hard") == 0;
  made += mkdir("deep", 0777) == 0 && symlink("/", "deep/root") == 0;
  int honest = open("honest", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  put(honest, "honest\n", 7);
  if (honest < 0) untried("nothing can be written here: %s", strerror(errno));
  fact("planted", made);
}
