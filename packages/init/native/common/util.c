#define _GNU_SOURCE
#include "common/util.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int64_t now_us(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

uint16_t get_u16(const unsigned char *bytes) {
  return (uint16_t)(bytes[0] | bytes[1] << 8);
}

uint32_t get_u32(const unsigned char *bytes) {
  return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

void put_u32(unsigned char *bytes, uint32_t value) {
  for (int i = 0; i < 4; i++) bytes[i] = (unsigned char)(value >> (8 * i));
}

long read_small(const char *path, char *buffer, size_t size) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  size_t filled = 0;
  while (filled < size - 1) {
    ssize_t got = read(fd, buffer + filled, size - 1 - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    filled += (size_t)got;
  }
  close(fd);
  buffer[filled] = '\0';
  return filled > 0 ? (long)filled : -1;
}

int each_entry(int directory, char *buffer, size_t size, int (*each)(const char *name, unsigned char type, void *context),
               void *context) {
  if (lseek(directory, 0, SEEK_SET) < 0) return -1;
  for (;;) {
    ssize_t got = getdents64(directory, buffer, size);
    if (got <= 0) return got < 0 ? -1 : 0;
    for (ssize_t at = 0; at < got;) {
      struct dirent64 *entry = (struct dirent64 *)(void *)(buffer + at);
      at += entry->d_reclen;
      if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
      int answer = each(entry->d_name, entry->d_type, context);
      if (answer != 0) return answer;
    }
  }
}
