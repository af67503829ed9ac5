#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
  static char block[32768];
  struct sockaddr_in at = {.sin_family = AF_INET};
  socklen_t size = sizeof at;
  long bytes = 0;
  /* The kernel keeps the sent data of unaccepted connections even after the sender has ended. The program stops at 600 MB. */
  for (int listener = -1, waiting = 0; bytes < 600L << 20; waiting++) {
    if (listener < 0 || waiting == 4000) {
      listener = socket(AF_INET, SOCK_STREAM, 0), waiting = 0;
      at.sin_port = 0, at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      if (bind(listener, (struct sockaddr *)&at, size) < 0 || listen(listener, 1 << 16) < 0) return 1;
      if (getsockname(listener, (struct sockaddr *)&at, &size) < 0) return 1;
    }
    int sender = socket(AF_INET, SOCK_STREAM, 0);
    if (sender < 0 || connect(sender, (struct sockaddr *)&at, size) < 0) break;
    long sent = send(sender, block, sizeof block, MSG_DONTWAIT);
    if (sent > 0) bytes += sent;
    close(sender);
  }
  sleep(2);
  if (bytes >= 600L << 20) printf("ESCAPED: %ld MB in connections\n", bytes >> 20);
  return 0;
}
