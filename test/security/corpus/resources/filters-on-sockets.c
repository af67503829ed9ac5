#define _GNU_SOURCE
#include <linux/filter.h>
#include <stdio.h>
#include <sys/socket.h>

int main(void) {
  /* One call each is enough: if filters were allowed, ten thousand would keep the host from starting any container. */
  struct sock_filter all[] = {BPF_STMT(BPF_RET | BPF_K, 0xffff)};
  struct sock_fprog filter = {1, all};
  static const int ways[] = {SO_ATTACH_FILTER, SO_ATTACH_REUSEPORT_CBPF};
  for (int i = 0; i < 2; i++) {
    int fd = socket(AF_INET, SOCK_DGRAM, 0), on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
    if (setsockopt(fd, SOL_SOCKET, ways[i], &filter, sizeof filter) == 0) printf("ESCAPED: a filter by option %d\n", ways[i]);
  }
  return 0;
}
