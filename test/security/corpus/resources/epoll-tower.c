#define _GNU_SOURCE
#include <stdint.h>
#include <sys/epoll.h>
#include <unistd.h>

int main(void) {
  int fds[200], made = 0;
  while (made < 200 && (fds[made] = epoll_create1(0)) >= 0) made++;
  for (int i = 0; i < made; i++) {
    for (int j = i + 1; j < made; j++) {
      struct epoll_event event = {.events = ~0u};
      epoll_ctl(fds[i], EPOLL_CTL_ADD, fds[j], &event);
    }
  }
  for (int i = 0; i < made; i++) close(fds[i]);
  return 0;
}
