#define _GNU_SOURCE
#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <linux/in6.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
  for (int key = 1; key < 20; key++) {
    shmget(key, 1 << 16, IPC_CREAT | 0666);
    semget(key, 10, IPC_CREAT | 0666);
    msgget(key, IPC_CREAT | 0666);
  }
  mq_open("/left", O_CREAT | O_RDWR, 0666, (struct mq_attr *)0);
  int memory = shm_open("/left", O_CREAT | O_RDWR, 0666);
  if (memory >= 0 && ftruncate(memory, 8 << 20) == 0) mmap(0, 8 << 20, PROT_WRITE, MAP_SHARED | MAP_POPULATE, memory, 0);
  /* A key in the user's keyring, which belongs to no process. */
  syscall(SYS_add_key, "user", "left", "behind", 6ul, -4);
  /* A flow label stays in the network namespace for minutes, and its bits can carry a message. */
  struct in6_flowlabel_req label = {.flr_label = htonl(0x5ec00), .flr_action = IPV6_FL_A_GET, .flr_share = IPV6_FL_S_ANY, .flr_flags = IPV6_FL_F_CREATE, .flr_linger = 120, .flr_expires = 120};
  label.flr_dst.s6_addr[15] = 1;
  if (setsockopt(socket(AF_INET6, SOCK_DGRAM, 0), IPPROTO_IPV6, IPV6_FLOWLABEL_MGR, &label, sizeof label) == 0) puts("ESCAPED: left a flow label");
  return 0;
}
