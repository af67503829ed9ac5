#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>

#define SIZE (64ul << 20)

int main(void) {
  char *at = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
  if (at != MAP_FAILED) memset(at, 1, SIZE), puts("ESCAPED: huge pages mapped");
  if (memfd_create("a", MFD_HUGETLB) >= 0) puts("ESCAPED: a file of huge pages");
  if (shmget(IPC_PRIVATE, SIZE, IPC_CREAT | SHM_HUGETLB | 0600) >= 0) puts("ESCAPED: a segment of huge pages");
  return 0;
}
