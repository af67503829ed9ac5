/* The container's files: a folder is its root, and names must not lead out of the directory they are opened in. */
#define _GNU_SOURCE
#include "world.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "files/clear_directory.h"
#include "seams.h"
#undef open
#undef openat
#undef mkdirat
#undef unlinkat
#undef mkfifo
#undef access
#undef statvfs

#define PLACES 3
static const char *const PLACE_NAMES[PLACES] = {"workspace", "tmp", "dev/shm"};
static int root = -1, outside = -1, cpu_stat = -1, places[PLACES], touched;

static void make_file(int directory, const char *name, const char *content) {
  int file = openat(directory, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  must(file >= 0 && write(file, content, strlen(content)) == (ssize_t)strlen(content), "cannot make %s", name);
  close(file);
}

static int make_directory(const char *name) {
  must(mkdirat(root, name, 0700) == 0 || errno == EEXIST, "cannot make %s", name);
  int directory = openat(root, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  must(directory >= 0, "cannot open %s", name);
  return directory;
}

void files_open(const char *folder) {
  static const char *const FOLDERS[] = {"dev", "proc", "proc/1", "proc/self", "sys", "sys/fs", "sys/fs/cgroup"};
  static const char *const CGROUP[][2] = {
      {"cgroup.controllers", "cpu memory pids\n"}, {"memory.max", "268435456\n"}, {"memory.swap.max", "0\n"},
      {"memory.current", "1000000\n"}, {"memory.events", "low 0\noom_kill 0\n"}, {"memory.stat", "inactive_file 0\n"},
      {"pids.max", "101\n"}, {"pids.current", "2\n"}, {"pids.events", "max 0\n"}, {"cpu.max", "50000 100000\n"},
      {"cpu.stat", "usage_usec 0\n"},
  };
  root = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  must(root >= 0, "cannot open the folder %s", folder);
  int cgroup = -1;
  for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS; i++) {
    if (cgroup >= 0) close(cgroup);
    cgroup = make_directory(FOLDERS[i]);
  }
  for (size_t i = 0; i < sizeof CGROUP / sizeof *CGROUP; i++) make_file(cgroup, CGROUP[i][0], CGROUP[i][1]);
  cpu_stat = openat(cgroup, "cpu.stat", O_WRONLY | O_CLOEXEC);
  for (int i = 0; i < PLACES; i++) places[i] = make_directory(PLACE_NAMES[i]);
  make_file(root, "proc/self/status", "Name:\tinit\nCapInh:\t0000000000000000\nCapPrm:\t0000000000000000\nCapEff:\t0000000000000000\n"
            "CapBnd:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\n");
  outside = make_directory("outside");
  make_file(outside, "secret", SECRET);
}

void files_begin(void) {
  files_cpu_used(0);
  touched = 0;
}

void files_end(void) {
  char secret[sizeof SECRET + 1];
  int file = openat(outside, "secret", O_RDONLY | O_CLOEXEC);
  must(file >= 0 && read(file, secret, sizeof secret) == sizeof SECRET - 1, "a file outside has changed");
  close(file);
  for (int i = 0; touched && i < PLACES; i++) must(clear_directory(places[i], 0700) == 0, "a directory cannot be cleared");
  struct stat status;
  must(fstat(outside, &status) == 0 && status.st_nlink == 2, "a folder was made outside");
}

void files_cpu_used(int64_t us) {
  char text[64];
  int size = snprintf(text, sizeof text, "usage_usec %020lld\n", (long long)us);
  must(pwrite(cpu_stat, text, (size_t)size, 0) == size, "cannot write cpu.stat");
}

void files_plant(unsigned kind) {
  int workspace = places[0];
  const char *name = kind & 1 ? "a" : "f";
  touched = 1;
  /* If the name is taken, nothing is planted. */
  switch (kind >> 1) {
    case 0: must(symlinkat("../outside", workspace, name) == 0 || errno == EEXIST, "cannot plant"); break;
    case 1: must(symlinkat("../outside/secret", workspace, name) == 0 || errno == EEXIST, "cannot plant"); break;
    case 2: must(mkfifoat(workspace, name, 0600) == 0 || errno == EEXIST, "cannot plant"); break;
    case 3: must(linkat(outside, "secret", workspace, name, 0) == 0 || errno == EEXIST, "cannot plant"); break;
    case 4: must(mkdirat(workspace, name, 0) == 0 || errno == EEXIST, "cannot plant"); break;
    case 5: must(symlinkat(name, workspace, name) == 0 || errno == EEXIST, "cannot plant"); break;
    default: {
      int file = openat(workspace, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_EXCL | O_CLOEXEC, 0600);
      if (file >= 0) must(ftruncate(file, kind >> 1 == 6 ? 5000 : 700000) == 0, "cannot plant");
      if (file >= 0) close(file);
    }
  }
}

static const char *inside(const char *path) {
  must(path[0] == '/', "a path that depends on where init is: %s", path);
  return path + 1;
}

static const char *one_name(const char *name) {
  must(name[0] != '\0' && strchr(name, '/') == NULL && strcmp(name, "..") != 0, "a name that leads away: %s", name);
  return name;
}

int fuzz_open(const char *path, int flags, ...) {
  must((flags & O_CREAT) == 0, "%s is made", path);
  return openat(root, inside(path), flags);
}

int fuzz_openat(int directory, const char *name, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  must((flags & O_NOFOLLOW) != 0 && (flags & O_CLOEXEC) != 0, "%s is opened with flags %x", name, (unsigned)flags);
  touched |= flags & O_CREAT;
  return openat(directory, one_name(name), flags, mode);
}

int fuzz_mkdirat(int directory, const char *name, mode_t mode) {
  touched = 1;
  return mkdirat(directory, one_name(name), mode);
}

int fuzz_unlinkat(int directory, const char *name, int flags) {
  return unlinkat(directory, one_name(name), flags);
}

/* A reader opens it at once. */
int fuzz_mkfifo(const char *path, mode_t mode) {
  touched = 1;
  if (mkfifoat(root, inside(path), mode) < 0) return -1;
  must(openat(root, inside(path), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC) >= 0, "no reader of %s", path);
  return 0;
}

int fuzz_access(const char *path, int mode) {
  return faccessat(root, inside(path), mode, 0);
}

int fuzz_statvfs(const char *path, struct statvfs *status) {
  int file = openat(root, inside(path), O_PATH | O_CLOEXEC);
  if (file < 0) return -1;
  int answer = fstatvfs(file, status);
  close(file);
  return answer;
}
