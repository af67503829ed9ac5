#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

int main(void) {
  const struct { const char *name; int family, type, protocol; } kinds[] = {
      {"AF_PACKET", 17, SOCK_RAW, 0x300}, {"AF_PACKET datagram", 17, SOCK_DGRAM, 0x300}, {"raw IPv4", AF_INET, SOCK_RAW, IPPROTO_ICMP}, {"raw IPv6", AF_INET6, SOCK_RAW, 58}, {"AF_XDP", 44, SOCK_RAW, 0}, {"AF_KEY", 15, SOCK_RAW, 2}, {"AF_VSOCK", 40, SOCK_STREAM, 0}, {"AF_VSOCK datagram", 40, SOCK_DGRAM, 0}};
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (socket(kinds[i].family, kinds[i].type, kinds[i].protocol) >= 0) printf("ESCAPED: %s\n", kinds[i].name);
  }
  return 0;
}
