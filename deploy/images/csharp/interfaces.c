/*
 * getifaddrs without netlink, which init's filter refuses: Mono takes a host without interfaces for one without IPv4 and
 * IPv6, and connects to nothing. A container has loopback alone, so the names of ioctl and /proc are all that there is.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST 16

struct entry {
  struct ifaddrs entry;
  char name[IF_NAMESIZE];
  struct sockaddr_storage address, mask;
};

static void add(struct ifaddrs **list, const char *name, unsigned flags, const void *address, const void *mask, size_t size) {
  struct entry *made = calloc(1, sizeof *made);
  if (made == NULL) return;
  snprintf(made->name, sizeof made->name, "%s", name);
  memcpy(&made->address, address, size);
  memcpy(&made->mask, mask, size);
  made->entry = (struct ifaddrs){*list, made->name, flags, (struct sockaddr *)&made->address, (struct sockaddr *)&made->mask, {NULL}, NULL};
  *list = &made->entry;
}

static void add_ipv4(int fd, struct ifaddrs **list) {
  struct ifreq found[MOST];
  struct ifconf all = {.ifc_len = sizeof found, .ifc_req = found};
  if (ioctl(fd, SIOCGIFCONF, &all) < 0) return;
  for (int i = 0; i < all.ifc_len / (int)sizeof *found; i++) {
    struct ifreq flags = found[i], mask = found[i];
    if (ioctl(fd, SIOCGIFFLAGS, &flags) < 0 || ioctl(fd, SIOCGIFNETMASK, &mask) < 0) continue;
    add(list, found[i].ifr_name, (unsigned short)flags.ifr_flags, &found[i].ifr_addr, &mask.ifr_netmask, sizeof(struct sockaddr_in));
  }
}

static void add_ipv6(int fd, struct ifaddrs **list) {
  char digits[33], name[IF_NAMESIZE];
  unsigned index, prefix, scope;
  FILE *table = fopen("/proc/net/if_inet6", "re");
  while (table != NULL && fscanf(table, "%32s %x %x %x %*x %15s", digits, &index, &prefix, &scope, name) == 5) {
    struct sockaddr_in6 address = {.sin6_family = AF_INET6}, mask = {.sin6_family = AF_INET6};
    struct ifreq flags = {0};
    for (int i = 0; i < 16; i++) {
      unsigned byte;
      sscanf(digits + 2 * i, "%2x", &byte);
      address.sin6_addr.s6_addr[i] = (unsigned char)byte;
      unsigned bits = prefix > 8u * i ? prefix - 8u * i : 0;
      mask.sin6_addr.s6_addr[i] = bits >= 8 ? 255 : (unsigned char)(0xff00 >> bits);
    }
    if (scope == 0x20) address.sin6_scope_id = index;
    memcpy(flags.ifr_name, name, sizeof name);
    if (ioctl(fd, SIOCGIFFLAGS, &flags) == 0) add(list, name, (unsigned short)flags.ifr_flags, &address, &mask, sizeof address);
  }
  if (table != NULL) fclose(table);
}

int getifaddrs(struct ifaddrs **list) {
  *list = NULL;
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  add_ipv6(fd, list);
  add_ipv4(fd, list);
  close(fd);
  return 0;
}

void freeifaddrs(struct ifaddrs *list) {
  while (list != NULL) {
    struct ifaddrs *next = list->ifa_next;
    free(list);
    list = next;
  }
}
