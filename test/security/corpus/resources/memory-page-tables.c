#define _GNU_SOURCE
#include <stddef.h>
#include <sys/mman.h>

int main(void) {
  const size_t step = 2ul << 20, size = 1ul << 44;
  volatile char *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  /* The shared zero page costs no memory, but the page table that points to it does. */
  for (size_t at = 0; map != MAP_FAILED && at < size; at += step) (void)map[at];
  return 0;
}
