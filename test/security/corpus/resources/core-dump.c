#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

int main(void) {
  struct rlimit most = {RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_CORE, &most);
  prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  char *room = malloc(64 << 20);
  if (room != NULL) memset(room, 1, 64 << 20);
  abort();
}
