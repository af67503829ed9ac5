#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SIZE (24l << 20)
#define STEP (1l << 20)

static char *buffer;

/* Bytes that the disk has read for this process. */
static long read_bytes(void) {
  char text[512];
  int fd = open("/proc/self/io", O_RDONLY);
  ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  close(fd);
  if (got < 0) exit(1);
  text[got] = '\0';
  return atol(strstr(text, "\nread_bytes: ") + 13);
}

static void read_all(int fd) {
  for (long at = 0; at < SIZE; at += STEP)
    if (pread(fd, buffer, STEP, at) < 0) return;
}

static void after(const char *way, long result, int fd) {
  int error = result < 0 ? errno : 0;
  long before = read_bytes();
  if (result >= 0) read_all(fd);
  long again = read_bytes() - before;
  printf("%s %d %ld\n", way, error, again);
  if (again > STEP) printf("ESCAPED: the disk was read again by %s\n", way);
}

/* A file of the image stays in memory once it was read. Each way to read it from the disk again takes bandwidth from others. */
int main(void) {
  glob_t found;
  if (glob("/usr/libexec/gcc/*/*/cc1", 0, NULL, &found) != 0) return 1;
  const char *path = found.gl_pathv[0];
  int fd = open(path, O_RDONLY);
  buffer = aligned_alloc(4096, STEP);
  if (fd < 0 || buffer == NULL) return 1;
  read_all(fd);
  after("nothing", 0, fd);
  after("fadvise", posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0 ? 0 : -1, fd);
  char *map = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 0);
  for (long at = 0; at < SIZE; at += 4096) buffer[0] = map[at];
  after("cold", madvise(map, SIZE, 20), fd);
  after("pageout", madvise(map, SIZE, 21), fd);
  after("dontneed", madvise(map, SIZE, MADV_DONTNEED), fd);
  munmap(map, SIZE);
  after("range", sync_file_range(fd, 0, SIZE, 7), fd);
  int direct = open(path, O_RDONLY | O_DIRECT);
  after("open", direct, direct);
  struct open_how how = {.flags = O_RDONLY | O_DIRECT};
  direct = (int)syscall(__NR_openat2, AT_FDCWD, path, &how, sizeof how);
  after("openat2", direct, direct);
  after("fcntl", fcntl(fd, F_SETFL, O_DIRECT), fd);
  return 0;
}
