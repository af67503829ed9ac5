#define _GNU_SOURCE
#include "run/leftovers.h"

#include <stdint.h>
#include <time.h>

#include "common/util.h"
#include "files/mounts.h"
#include "frames/frame_writer.h"
#include "network/sockets.h"
#include "resources/usage.h"

#define WAIT_US 500000

static struct sockets sockets_at_first;

void leftovers_baseline(void) {
  usage_open();
  sockets_at_first = sockets_now();
}

const char *leftovers(void) {
  int64_t deadline = now_us() + WAIT_US;
  for (;;) {
    struct sockets sockets = sockets_now();
    /* Lingering sockets hold their ports for a minute. */
    if (sockets.lingering > sockets_at_first.lingering) return "sockets";
    const char *left = sockets.used > sockets_at_first.used ? "sockets" : mounts_hold_more() ? "files" : NULL;
    /* The runtime may have closed sockets of its own since the baseline. */
    if (left == NULL && sockets.used < sockets_at_first.used) sockets_at_first = sockets;
    if (left == NULL || now_us() >= deadline) return left;
    sockets_find_lost();
    /* The host waits for the done frame, which may still be queued. */
    writer_flush();
    nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
  }
}
