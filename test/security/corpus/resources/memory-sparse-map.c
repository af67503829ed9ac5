#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
  const size_t size = 1ul << 40;
  int fd = open("/workspace/sparse", O_RDWR | O_CREAT, 0600);
  if (ftruncate(fd, (off_t)size) < 0) return 0;
  char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  /* One byte per page table: the memory limit must count the tables, too. */
  for (size_t at = 0; memory != MAP_FAILED && at < size; at += 2ul << 20) memory[at] = 1;
  return 0;
}
