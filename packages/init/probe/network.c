#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "probe.h"

#define MAX_TEXT 65536

static int is_up(int fd, const char *name) {
  struct ifreq request;
  memset(&request, 0, sizeof request);
  snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
  return ioctl(fd, SIOCGIFFLAGS, &request) == 0 && (request.ifr_flags & IFF_UP) != 0;
}

/* Any way out of the container: an interface other than loopback that is up, or a route. */
void interfaces(int count, char **args) {
  (void)count, (void)args;
  static char text[MAX_TEXT];
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (slurp("/proc/net/dev", text, sizeof text) < 0) {
    untried("/proc/net/dev cannot be read: %s", strerror(errno));
    return;
  }
  char *rest = text;
  for (char *row = strtok_r(text, "\n", &rest); row != NULL; row = strtok_r(NULL, "\n", &rest)) {
    char *colon = strchr(row, ':');
    if (colon == NULL) continue;
    *colon = '\0';
    char *name = row + strspn(row, " ");
    /* Some kernels add inactive tunnel interfaces to every namespace. */
    if (strcmp(name, "lo") != 0 && is_up(fd, name)) got("interface %s is up", name);
  }
  if (slurp("/proc/net/route", text, sizeof text) > 0 && strchr(text, '\n') != NULL && strchr(text, '\n')[1] != '\0') {
    got("there is a route: %.60s", strchr(text, '\n') + 1);
  }
}

static void try_connect(const char *what, const char *token, int family, const void *address, socklen_t size) {
  int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  struct timeval timeout = {1, 0};
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  if (connect(fd, address, size) == 0) {
    /* Identifies this probe to the worker: any process of the host may connect to a port. */
    put(fd, token, strlen(token));
    got("connected to %s", what);
  }
  close(fd);
}

/* The first argument is what to send. Each other one is a port on which the worker listens, or @NAME for an abstract socket. */
void connections(int count, char **args) {
  for (int i = 1; i < count; i++) {
    if (args[i][0] == '@') {
      struct sockaddr_un local = {.sun_family = AF_UNIX};
      size_t length = strlen(args[i]) - 1;
      if (length > sizeof local.sun_path - 1) length = sizeof local.sun_path - 1;
      memcpy(local.sun_path + 1, args[i] + 1, length);
      try_connect(args[i], args[0], AF_UNIX, &local, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length));
      continue;
    }
    uint16_t port = htons((uint16_t)atoi(args[i]));
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = port, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    try_connect("a port of the host", args[0], AF_INET, &four, sizeof four);
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = port, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    try_connect("a port of the host", args[0], AF_INET6, &six, sizeof six);
  }
}
