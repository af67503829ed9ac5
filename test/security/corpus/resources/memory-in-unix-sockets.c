#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
  static char block[1 << 15];
  int ends[2], size = 1 << 26, kept = 0;
  while (kept < 4000 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0) {
    setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    while (write(ends[0], block, sizeof block) > 0) continue;
    kept++;
  }
  return kept < 4000 ? 0 : 1;
}
