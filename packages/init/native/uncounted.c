#define _GNU_SOURCE
#include "uncounted.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cgroup.h"
#include "json.h"
#include "sockets.h"
#include "util.h"

/* So little is not worth a look at each socket. */
#define FLOOR_BYTES ((int64_t)16 << 20)
/* A connection without its data, as measured. */
#define SOCKET_BYTES 4096
/* What stays of a connection that has ended. */
#define REMNANT_BYTES 512
#define QUIET_US 100000
#define BUSY_US 20000
/* The table of connections is the whole host's, and may take milliseconds: a tenth of the time at most. */
#define TIMES_ITS_COST 10

/* States in /proc/net/tcp; the numbers of UDP mean nothing here. */
enum { ESTABLISHED = 1, SYN_RECEIVED = 3, TIME_WAIT = 6, CLOSE_WAIT = 8, LISTENING = 10, FIRST_REQUEST = 12 };

struct row {
  unsigned long state, sending, receiving, inode;
};

static int64_t next_us, next_scan_us;

int64_t uncounted_next_us(void) {
  return next_us;
}

/* «sl local remote st tx:rx tr:tm retransmits uid timeout inode»; the heading has no numbers. */
static int parse(char *line, struct row *row) {
  char *field = NULL, *rest = line, *end;
  memset(row, 0, sizeof *row);
  for (int i = 0; i < 10; i++) {
    field = strtok_r(rest, " ", &rest);
    if (field == NULL) return 0;
    if (i == 3) row->state = strtoul(field, NULL, 16);
    if (i != 4) continue;
    row->sending = strtoul(field, &end, 16);
    if (*end != ':') return 0;
    row->receiving = strtoul(end + 1, NULL, 16);
  }
  row->inode = strtoul(field, NULL, 10);
  return 1;
}

static int64_t cost_of(const struct row *row, int connected, int all) {
  int64_t data = (int64_t)row->sending + (int64_t)row->receiving;
  if (!connected) return all ? data : 0;
  /* Its queue is counted by connections, which have rows of their own. */
  if (row->state == LISTENING) return 0;
  if (row->state == TIME_WAIT || row->state == SYN_RECEIVED || row->state == FIRST_REQUEST) return REMNANT_BYTES;
  /* Made by a packet, not by a process, and charged when a process accepts it, if at all: it has no file until then. */
  int unaccepted = row->inode == 0 && (row->state == ESTABLISHED || row->state == CLOSE_WAIT);
  return all || unaccepted ? data + SOCKET_BYTES : 0;
}

/* Adds what the sockets of one table hold; ends early beyond `most`. */
static int64_t add_table(const char *path, int connected, int all, int64_t sum, int64_t most) {
  static char text[32 * 1024];
  size_t filled = 0;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  while (fd >= 0 && sum <= most) {
    ssize_t got = read(fd, text + filled, sizeof text - 1 - filled);
    if (got <= 0) break;
    filled += (size_t)got;
    text[filled] = '\0';
    char *line = text;
    for (char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
      struct row row;
      *end = '\0';
      if (parse(line, &row)) sum += cost_of(&row, connected, all);
    }
    filled -= (size_t)(line - text);
    memmove(text, line, filled);
    /* No line is that long. */
    if (filled == sizeof text - 1) filled = 0;
  }
  if (fd >= 0) close(fd);
  return sum;
}

static int64_t held(const struct socket_bounds *bounds, int64_t most) {
  /* v1 counts the memory of sockets on its own, and engines leave that without a limit. */
  int all = cgroup_version() == 1;
  int64_t sum = 0;
  if (all) {
    sum = add_table("/proc/net/udp", 0, all, sum, most);
    sum = add_table("/proc/net/udp6", 0, all, sum, most);
  }
  if (bounds->tcp > 0) sum = add_table("/proc/net/tcp", 1, all, sum, most);
  if (bounds->tcp6 > 0) sum = add_table("/proc/net/tcp6", 1, all, sum, most);
  return sum;
}

int uncounted_excess(int64_t now) {
  if (now < next_us) return 0;
  next_us = now + QUIET_US;
  if (cgroup_version() < 0) return 0;
  struct socket_bounds bounds = socket_bounds();
  int64_t at_most = bounds.data_bytes + (bounds.tcp + bounds.tcp6) * SOCKET_BYTES + bounds.ended * REMNANT_BYTES;
  if (at_most < FLOOR_BYTES) return 0;
  next_us = now + BUSY_US;
  int64_t room = cgroup_headroom();
  if (room < 0 || now < next_scan_us) return 0;
  if (room < FLOOR_BYTES) room = FLOOR_BYTES;
  if (at_most <= room) return 0;
  int excess = held(&bounds, room) > room;
  int64_t done = now_us();
  next_scan_us = done + TIMES_ITS_COST * (done - now);
  return excess;
}
