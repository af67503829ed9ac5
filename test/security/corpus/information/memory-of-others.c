#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* Newly allocated memory of every kind must be zero. */
static void look(const char *road, const unsigned char *memory, size_t size) {
  for (size_t i = 0; memory != MAP_FAILED && i < size; i++) {
    if (memory[i] == 0) continue;
    printf("ESCAPED: %s holds %02x at %zu\n", road, memory[i], i);
    return;
  }
}

int main(void) {
  const size_t size = 16ul << 20;
  look("anonymous memory", mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0), size);
  const char *paths[] = {"/workspace/hole", "/tmp/hole", "/dev/shm/hole"};
  for (int i = 0; i < 3; i++) {
    int fd = open(paths[i], O_RDWR | O_CREAT, 0600);
    if (fd >= 0 && ftruncate(fd, 4 << 20) == 0) look(paths[i], mmap(NULL, 4 << 20, PROT_READ, MAP_SHARED, fd, 0), 4 << 20);
  }
  int fd = memfd_create("hole", 0);
  if (ftruncate(fd, (off_t)size) == 0) look("memfd", mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0), size);
  return 0;
}
