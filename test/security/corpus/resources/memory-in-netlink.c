#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

int main(void) {
  struct {
    struct nlmsghdr head;
    struct ifinfomsg body;
  } ask = {{sizeof ask, RTM_GETLINK, NLM_F_REQUEST | NLM_F_DUMP, 1, 0}, {AF_UNSPEC}};
  struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
  int opened = 0, large = 1 << 30;
  /* Unread answers of about 200 KB each; the program stops at 200 MB. */
  for (int i = 0; i < 250; i++) {
    int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
    if (fd < 0) break;
    opened++;
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &large, sizeof large);
    for (int j = 0; j < 100; j++) {
      if (sendto(fd, &ask, sizeof ask, MSG_DONTWAIT, (struct sockaddr *)&kernel, sizeof kernel) < 0) break;
    }
  }
  if (opened > 0) printf("ESCAPED: %d sockets of netlink\n", opened);
  return 0;
}
