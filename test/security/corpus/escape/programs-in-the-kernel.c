#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
  char attribute[128] = {0};
  struct perf_event_attr event = {.type = PERF_TYPE_SOFTWARE, .size = sizeof event, .config = PERF_COUNT_SW_CPU_CLOCK};
  char rings[256] = {0};
  unsigned map[16] = {1 /* hash */, 4, 4, 1};
  memcpy(attribute, map, sizeof map);
  if (syscall(SYS_bpf, 0, attribute, sizeof attribute) >= 0) puts("ESCAPED: bpf");
  if (syscall(SYS_perf_event_open, &event, 0, -1, -1, 0) >= 0) puts("ESCAPED: perf_event_open");
  if (syscall(SYS_userfaultfd, 1) >= 0 || syscall(SYS_userfaultfd, 0) >= 0) puts("ESCAPED: userfaultfd");
  if (syscall(425, 8, rings) >= 0) puts("ESCAPED: io_uring_setup");
  if (syscall(SYS_fanotify_init, 0, 0) >= 0) puts("ESCAPED: fanotify_init");
  if (syscall(SYS_lookup_dcookie, 1ul, rings, sizeof rings) >= 0) puts("ESCAPED: lookup_dcookie");
  return 0;
}
