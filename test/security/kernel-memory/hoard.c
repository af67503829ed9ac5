/* Makes the kernel create objects of the kind that stdin names until it refuses; holds them for a while, then ends. */
#include "hoard.h"
#include "sockets.h"
#include "objects.h"

static const struct {
  const char *name;
  void (*take)(void);
  int processes;
} KINDS[] = {
    {"unix streams", unix_streams, 20},
    {"unix datagrams", unix_datagrams, 20},
    {"unix connections", unix_connections, 40},
    {"descriptors in flight", in_flight, 8},
    {"connections unread", tcp_unread, 8},
    {"connections unaccepted", tcp_unaccepted, 8},
    {"connections unaccepted and closed", tcp_closed, 4},
    {"connections of IPv6", tcp6_closed, 4},
    {"datagrams", udp_unread, 4},
    {"connections unread, a byte of each piece", tcp_pieces, 4},
    {"connections unread, a record for each byte", tcp_records, 8},
    {"datagrams, a byte of each piece", udp_pieces, 4},
    {"pipes with a byte of each piece", spliced_pieces, 60},
    {"pipes with a byte that was sent of each piece", sent_pieces, 60},
    {"listeners", listeners, 90},
    {"pipes", pipes, 40},
    {"descriptors of events", events, 90},
    {"epoll sets", epoll_sets, 40},
    {"watches", watches, 40},
    {"files of memory", memfds, 4},
    {"locks", locks, 8},
    {"timers", timers, 90},
    {"signals", signals, 90},
    {"maps", maps, 16},
    {"names of maps", names_of_maps, 16},
    {"page tables", page_tables, 16},
    {"threads", threads, 1},
    {"segments", segments, 1},
    {"semaphores", semaphores, 8},
    {"messages", messages, 4},
    {"files and names", files, 4},
    {"names that are not there", missing_names, 4},
    {"rules of landlock", landlock_rules, 40},
    {"files of proc", proc_files, 90},
};

int main(void) {
  char name[64] = "";
  fgets(name, sizeof name, stdin);
  name[strcspn(name, "\n")] = '\0';
  for (unsigned i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
    if (strcmp(KINDS[i].name, name) != 0) continue;
    /* Objects that init should notice are held long enough for that, even on a busy host. */
    begin(strstr(name, "connections un") != NULL || strncmp(name, "datagrams", 9) == 0 ? 10000 : 2500);
    for (int child = 1; child < KINDS[i].processes; child++) {
      if (fork() != 0) continue;
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      KINDS[i].take();
      finish();
    }
    KINDS[i].take();
    /* The other processes may be slower, because all share the processors of the job. */
    await(KINDS[i].processes);
    printf("%ld objects\n", made());
    return 0;
  }
  return 2;
}
