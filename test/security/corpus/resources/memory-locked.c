#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

int main(void) {
  const size_t size = 512ul << 20;
  mlockall(MCL_CURRENT | MCL_FUTURE);
  char *place = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) return 1;
  mlock(place, size);
  memset(place, 1, size);
  return 0;
}
