#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/memfd.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe.h"

#define HUGE_PAGE (2ul << 20)

/* Installs a filter that allows everything, on a socket, and on this process in both ways. The filters end with them. */
static void filters(void) {
  struct sock_filter all[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog filter = {1, all};
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) untried("no socket to attach a filter to");
  if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) == 0) got("attached a filter to a socket");
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0) got("installed a filter by prctl");
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0) got("installed a filter by seccomp");
}

/* If the host has no pool, mapping is refused in any case; creating a file in it is not. */
static void huge_pages(void) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB;
  if (mmap(NULL, HUGE_PAGE, PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED) got("mapped a huge page");
  if (memfd_create("isopod-canary", MFD_CLOEXEC | MFD_HUGETLB) >= 0) got("made a file of huge pages");
}

static void sockets(void) {
  if (socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0) >= 0) got("opened a netlink socket");
  struct ip_mreqn group = {.imr_multiaddr = {htonl(0xe0000009)}, .imr_address = {htonl(INADDR_LOOPBACK)}};
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &group, sizeof group) == 0) got("joined a multicast group");
}

/* Tries the calls that move a socket's pages into a pipe, and checks what the kernel stores about ended connections. */
static void remnants(void) {
  int from[2], to[2];
  char remembers = '1';
  if (pipe2(from, O_CLOEXEC) < 0 || pipe2(to, O_CLOEXEC) < 0 || write(from[1], "x", 1) != 1) untried("no pipe to move a page of");
  if (splice(from[0], NULL, to[1], NULL, 1, 0) == 1) got("moved a page into a pipe");
  /* Without an offset, as a program would call it for a socket. */
  int file = memfd_create("isopod-canary", MFD_CLOEXEC);
  if (file < 0 || write(file, "x", 1) != 1 || lseek(file, 0, SEEK_SET) < 0) untried("no file to send");
  if (sendfile(to[1], file, NULL, 1) == 1) got("sent a page into a pipe");
  int fd = open("/proc/sys/net/ipv4/tcp_no_metrics_save", O_RDONLY | O_CLOEXEC);
  /* gVisor has no such file. */
  if (fd >= 0 && read(fd, &remembers, 1) == 1 && remembers == '0') got("the kernel remembers connections that have ended");
}

/* Kernel objects that no limit counts: one of each kind. */
void uncounted(int count, char **args) {
  (void)count, (void)args;
  sockets();
  huge_pages();
  remnants();
  /* Last, because a filter stays on this process. */
  filters();
}
