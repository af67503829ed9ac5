#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

int main(void) {
  const size_t size = 512ul << 20;
  mlockall(MCL_CURRENT | MCL_FUTURE);
  char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  mlock(memory, size);
  memset(memory, 1, size);
  return 0;
}
