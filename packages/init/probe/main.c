/* Tries one attack from inside a container: probe NAME ARGUMENT… Exit code 0: it was refused, 1: it succeeded, 2: not tried. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "probe.h"

static const struct {
  const char *name;
  attack *run;
} attacks[] = {
    {"artifact", artifact},       {"calls", calls},
    {"capabilities", capabilities}, {"clock", clocks},
    {"connections", connections}, {"core-file", core_file},
    {"cpu", cpu},                 {"descriptors", descriptors},
    {"devices", devices},         {"disk", disk},
    {"environment", environment}, {"files", files},
    {"forks", forks},             {"host-name", host_name},
    {"init", init},               {"inodes", inodes},
    {"interfaces", interfaces},   {"keep", keep},
    {"limits", limits},           {"look", look},
    {"masks", masks},             {"memory", memory},
    {"mounts", mounts},           {"open-files", open_files},
    {"output", output},           {"proc", proc},
    {"processes", processes},     {"read-only", read_only},
    {"signals", signals},         {"sleeper", sleeper},
    {"terminal", terminal},       {"uncounted", uncounted},
    {"wire", wire},
};

static int succeeded, impossible;

static void line(const char *format, va_list values) {
  vprintf(format, values);
  putchar('\n');
  /* Reported at once, because the next step may end this process. */
  fflush(stdout);
}

void got(const char *format, ...) {
  va_list values;
  va_start(values, format);
  line(format, values);
  va_end(values);
  succeeded = 1;
}

void untried(const char *format, ...) {
  va_list values;
  va_start(values, format);
  line(format, values);
  va_end(values);
  impossible = 1;
}

void fact(const char *name, long long value) {
  printf("%s %lld\n", name, value);
  fflush(stdout);
}

void put(int fd, const void *bytes, unsigned long size) {
  const char *at = bytes;
  while (size > 0) {
    ssize_t written = write(fd, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    at += written;
    size -= (unsigned long)written;
  }
}

long slurp(const char *path, char *text, unsigned long size) {
  int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return -1;
  unsigned long length = 0;
  ssize_t more;
  while (length < size - 1 && (more = read(fd, text + length, size - 1 - length)) > 0) length += (unsigned long)more;
  close(fd);
  text[length] = '\0';
  return (long)length;
}

long long wall_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

int main(int argc, char **argv) {
  for (unsigned i = 0; argc > 1 && i < sizeof attacks / sizeof *attacks; i++) {
    if (strcmp(argv[1], attacks[i].name) != 0) continue;
    attacks[i].run(argc - 2, argv + 2);
    return succeeded ? 1 : impossible ? 2 : 0;
  }
  fprintf(stderr, "usage: probe NAME ARGUMENT...\n");
  return 2;
}
