#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

int main(void) {
  const size_t size = 32ul << 20;
  for (int i = 0; i < 64; i++) {
    int segment = shmget(IPC_PRIVATE, size, IPC_CREAT | 0600);
    void *memory = segment < 0 ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) : shmat(segment, NULL, 0);
    if (memory != (void *)-1) memset(memory, 1, size);
  }
  return 0;
}
