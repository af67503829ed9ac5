#define _GNU_SOURCE
#include "resources/uncounted.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/util.h"
#include "network/sockets.h"
#include "resources/cgroup.h"
#include "resources/host_memory.h"

/* Below this total no table of sockets is read. */
#define FLOOR_BYTES ((int64_t)16 << 20)
/* Measured size of a connection without its data. */
#define SOCKET_BYTES 4096
/* Size of a connection that has ended. */
#define REMNANT_BYTES 512
/*
 * Host memory that one unread byte can keep. The kernel copies socket data into pieces of 32 KiB and frees a piece when its
 * last byte is read. It charges the cgroup only for the byte, and does not report which container a piece belongs to.
 */
#define PIECE_BYTES 32768
/* Size of a TCP buffer that contains one byte. */
#define BUFFER_BYTES 2304
/* Memory per byte of a datagram's buffer, which has up to 17 pieces. */
#define DATAGRAM_PIECES 1024
/* Smaller changes are normal on any host; acting on them could end the wrong program. */
#define PIECES_FLOOR_BYTES ((int64_t)256 << 20)
/* Upper bound of bytes per microsecond of CPU time: to get the next piece a program must fill one or start a task. */
#define BYTES_PER_CPU_US (PIECE_BYTES / 2)
/* Consecutive positive checks before a run is ended, so that data in transit and a neighbour's short peak do not count. */
#define POSITIVE_CHECKS 4
#define QUIET_US 100000
#define BUSY_US 10000
/* Reading the host's table of connections can take milliseconds; at most a tenth of init's time is spent on it. */
#define TIMES_ITS_COST 10

/* States in /proc/net/tcp; those of UDP are ignored. */
enum { ESTABLISHED = 1, SYN_RECEIVED = 3, TIME_WAIT = 6, CLOSE_WAIT = 8, LISTENING = 10, FIRST_REQUEST = 12 };

struct row {
  unsigned long state, sending, receiving, inode;
};

static int64_t next_us, next_scan_us, scan_cost_us;
/* Kernel memory at the last check, and the part of its growth since the start that this container may have caused. */
struct growth {
  int64_t level, ours;
};

static struct growth pieces, objects, data;
static int64_t cpu_before;
static int suspected;

int64_t uncounted_next_us(void) {
  return next_us;
}

/* "sl local remote st tx:rx tr:tm retransmits uid timeout inode"; 0 for the heading. */
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
  /* A listener: the connections in its queue have their own rows. */
  if (row->state == LISTENING) return 0;
  if (row->state == TIME_WAIT || row->state == SYN_RECEIVED || row->state == FIRST_REQUEST) return REMNANT_BYTES;
  /* Created by a packet and charged at the earliest when a process accepts it; until then it has no inode. */
  int unaccepted = row->inode == 0 && (row->state == ESTABLISHED || row->state == CLOSE_WAIT);
  return all || unaccepted ? data + SOCKET_BYTES : 0;
}

/* Upper bound if each byte of TCP holds `per_byte`. */
static int64_t upper_bound(const struct row *row, int connected, int64_t per_byte) {
  int64_t data = (int64_t)row->sending + (int64_t)row->receiving;
  if (!connected) return per_byte == PIECE_BYTES ? data * DATAGRAM_PIECES : data;
  return row->state == LISTENING ? 0 : data * per_byte;
}

/* What to add up: with `per_byte` the upper bound of the sockets' memory, with 0 the lower bound. */
struct view {
  int all;
  int64_t per_byte;
};

/* Adds what the sockets of one table hold; stops early above `max`. */
static int64_t add_table(const char *path, int connected, const struct view *view, int64_t sum, int64_t max) {
  static char text[32 * 1024];
  size_t filled = 0;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  while (fd >= 0 && sum <= max) {
    ssize_t got = read(fd, text + filled, sizeof text - 1 - filled);
    if (got <= 0) break;
    filled += (size_t)got;
    text[filled] = '\0';
    char *line = text;
    for (char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
      struct row row;
      *end = '\0';
      if (!parse(line, &row)) continue;
      sum += view->per_byte > 0 ? upper_bound(&row, connected, view->per_byte) : cost_of(&row, connected, view->all);
    }
    filled -= (size_t)(line - text);
    memmove(text, line, filled);
    /* No line of the kernel is that long. */
    if (filled == sizeof text - 1) filled = 0;
  }
  if (fd >= 0) close(fd);
  return sum;
}

static int64_t held(const struct socket_bounds *bounds, int64_t per_byte, int64_t max) {
  /* v1 counts the memory of sockets separately, and engines set no limit for it. */
  struct view view = {.all = cgroup_version() == 1, .per_byte = per_byte};
  int64_t sum = 0;
  if (view.all || per_byte > 0) {
    sum = add_table("/proc/net/udp", 0, &view, sum, max);
    sum = add_table("/proc/net/udp6", 0, &view, sum, max);
  }
  if (bounds->tcp > 0) sum = add_table("/proc/net/tcp", 1, &view, sum, max);
  if (bounds->tcp6 > 0) sum = add_table("/proc/net/tcp6", 1, &view, sum, max);
  return sum;
}

/* CPU time, not wall time: under load checks would take long, and then become rare. */
static int64_t own_cpu_us(void) {
  struct timespec used;
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) < 0) return 0;
  return (int64_t)used.tv_sec * 1000000 + used.tv_nsec / 1000;
}

static int holds_more(const struct socket_bounds *bounds, int64_t per_byte, int64_t room) {
  int64_t before = own_cpu_us();
  int more = held(bounds, per_byte, room) > room;
  scan_cost_us += own_cpu_us() - before;
  return more;
}

/* CPU time of the container without init; UNKNOWN without a cgroup. */
static int64_t program_cpu_us(void) {
  int64_t all = cgroup_cpu_us(), own = own_cpu_us();
  if (all < 0) return UNKNOWN;
  return all > own ? all - own : 0;
}

/* The host's kernel memory that its sockets do not report. */
static int64_t pieces_level(const struct host_memory *memory, const struct socket_bounds *bounds) {
  return memory->unnamed_bytes - bounds->data_bytes;
}

void uncounted_begin(void) {
  struct host_memory memory = host_memory();
  struct socket_bounds bounds = socket_bounds();
  pieces = (struct growth){.level = pieces_level(&memory, &bounds)};
  objects = (struct growth){.level = memory.object_bytes};
  data = (struct growth){.level = bounds.data_bytes};
  cpu_before = program_cpu_us();
  suspected = 0;
}

/* The kernel does not report who holds its memory, but a program that used no CPU time cannot have taken any. */
static void note(struct growth *growth, int64_t level, int64_t possible) {
  int64_t more = level - growth->level;
  growth->level = level;
  growth->ours += more > possible ? possible : more;
  if (growth->ours < 0) growth->ours = 0;
}

/*
 * Whether this container may hold more host memory than its limit has left: the host lost that much while the program used CPU
 * time, and the program has enough unread data to hold it.
 */
static int pieces_excess(const struct socket_bounds *bounds, int64_t now) {
  struct host_memory memory = host_memory();
  int64_t cpu = program_cpu_us();
  int64_t possible = cpu < 0 ? INT64_MAX : cpu > cpu_before ? (cpu - cpu_before) * BYTES_PER_CPU_US : 0;
  cpu_before = cpu;
  note(&pieces, pieces_level(&memory, bounds), possible);
  note(&objects, memory.object_bytes, possible);
  note(&data, bounds->data_bytes, possible);
  if (bounds->tcp + bounds->tcp6 + bounds->udp == 0) pieces.ours = objects.ours = data.ours = 0;
  /* Small buffers grow both counters. Cgroup v2 charges them to the container; v1 does not. */
  int64_t buffers = cgroup_version() == 1 ? (objects.ours < data.ours ? objects.ours : data.ours) : 0;
  if (pieces.ours < PIECES_FLOOR_BYTES / 2 && buffers < PIECES_FLOOR_BYTES / 2) return suspected = 0;
  next_us = now + BUSY_US;
  int64_t room = cgroup_headroom();
  if (room < 0) return 0;
  if (room < PIECES_FLOOR_BYTES) room = PIECES_FLOOR_BYTES;
  int suspicious = (pieces.ours > room && holds_more(bounds, PIECE_BYTES, room)) ||
                   (buffers > room && holds_more(bounds, BUFFER_BYTES, room));
  suspected = suspicious ? suspected + 1 : 0;
  return suspected >= POSITIVE_CHECKS;
}

/* Whether sockets, by what they report themselves, hold more memory than the cgroup has left. */
static int data_excess(const struct socket_bounds *bounds, int64_t now) {
  int64_t at_most = bounds->data_bytes + (bounds->tcp + bounds->tcp6) * SOCKET_BYTES + bounds->ended * REMNANT_BYTES;
  if (at_most < FLOOR_BYTES) return 0;
  next_us = now + BUSY_US;
  int64_t room = cgroup_headroom();
  if (room < 0) return 0;
  if (room < FLOOR_BYTES) room = FLOOR_BYTES;
  return at_most > room && holds_more(bounds, 0, room);
}

int uncounted_excess(int64_t now) {
  if (now < next_us) return 0;
  next_us = now + QUIET_US;
  if (cgroup_version() < 0) return 0;
  /* The next check is due when the last one took at most a tenth of the elapsed time. */
  if (now < next_scan_us) {
    next_us = next_scan_us;
    return 0;
  }
  scan_cost_us = 0;
  struct socket_bounds bounds = socket_bounds();
  int excess = data_excess(&bounds, now) || pieces_excess(&bounds, now);
  if (scan_cost_us > 0) next_scan_us = now_us() + TIMES_ITS_COST * scan_cost_us;
  return excess;
}
