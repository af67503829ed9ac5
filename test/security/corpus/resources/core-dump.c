#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

int main(void) {
  struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_CORE, &unlimited);
  prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  char *buffer = malloc(64 << 20);
  if (buffer != NULL) memset(buffer, 1, 64 << 20);
  abort();
}
