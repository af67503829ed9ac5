#define _GNU_SOURCE
#include "network/sockets.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/util.h"

static int64_t number_after(const char *text, const char *words) {
  const char *at = strstr(text, words);
  return at == NULL ? UNKNOWN : strtoll(at + strlen(words), NULL, 10);
}

/* sockstat has a few short lines; the tables of all sockets cover the whole host and are slow to read. */
struct sockets sockets_now(void) {
  char text[1024];
  if (read_small("/proc/net/sockstat", text, sizeof text) < 0) return (struct sockets){UNKNOWN, UNKNOWN};
  return (struct sockets){number_after(text, "sockets: used "), number_after(text, " tw ")};
}

static int64_t number_of(const char *text, const char *line, const char *word) {
  const char *at = strstr(text, line);
  int64_t number = at == NULL ? 0 : number_after(at, word);
  return number > 0 ? number : 0;
}

struct socket_bounds socket_bounds(void) {
  char text[1024];
  struct socket_bounds bounds = {0};
  if (read_small("/proc/net/sockstat", text, sizeof text) > 0) {
    int64_t pages = number_of(text, "TCP: ", " mem ") + number_of(text, "UDP: ", " mem ");
    bounds.data_bytes = pages * sysconf(_SC_PAGESIZE);
    bounds.tcp = number_of(text, "TCP: ", "inuse ");
    bounds.udp = number_of(text, "UDP: ", "inuse ");
    bounds.ended = number_of(text, "TCP: ", " tw ");
  }
  if (read_small("/proc/net/sockstat6", text, sizeof text) > 0) {
    bounds.tcp6 = number_of(text, "TCP6: ", "inuse ");
    bounds.udp += number_of(text, "UDP6: ", "inuse ");
  }
  return bounds;
}

/* The kernel starts the search when a UNIX socket is closed. */
void sockets_find_lost(void) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) return;
  close(ends[0]);
  close(ends[1]);
}
