/* The state of each stream of the tunnel, from the frames of both sides; checks every frame of init against it. */
#include "world.h"

#include <string.h>

#include "frames/wire.h"

/* More than a script can connect. */
#define MAX_STREAMS 8192u

struct entry {
  /* From init, as far as the host has read. */
  int opened, ended, reset;
  uint64_t data, credited;
  /* From the host, as far as init has read; frames from before the stream was open may have been ignored. */
  int finished, dropped, finished_since, dropped_since;
  uint64_t granted, written, granted_since, written_since;
};

static struct entry entries[MAX_STREAMS + 1];
static uint32_t last_open, first_of_run, highest;
static int running;

void ledger_begin(void) {
  memset(entries, 0, (highest + 1) * sizeof *entries);
  last_open = highest = 0;
  first_of_run = 1;
  running = 0;
}

static struct entry *known(uint32_t id) {
  if (id == 0 || id > MAX_STREAMS) return NULL;
  if (id > highest) highest = id;
  return &entries[id];
}

static int closed(const struct entry *entry) {
  return entry->reset || entry->dropped || (entry->ended && entry->finished);
}

int ledger_waits(uint8_t type, uint32_t id, uint32_t bytes) {
  const struct entry *entry = known(id);
  if (entry == NULL || !entry->opened) return 1;
  if (closed(entry)) return 0;
  if (type == FRAME_NET_WRITE) return entry->written_since + bytes > MAX_NET_WINDOW_BYTES + entry->credited;
  return type == FRAME_NET_GRANT && entry->granted_since + bytes > entry->data;
}

void ledger_host(uint8_t type, uint32_t id, uint32_t bytes) {
  struct entry *entry = known(id);
  if (entry == NULL) return;
  if (type == FRAME_NET_GRANT) {
    entry->granted += bytes;
    if (entry->opened) entry->granted_since += bytes;
  }
  if (type == FRAME_NET_FINISH) entry->finished = 1;
  if (type == FRAME_NET_DROP) entry->dropped = 1;
  entry->finished_since |= entry->opened && type == FRAME_NET_FINISH;
  entry->dropped_since |= entry->opened && type == FRAME_NET_DROP;
}

uint8_t ledger_host_byte(uint32_t id) {
  struct entry *entry = known(id);
  if (entry == NULL) return 0;
  if (entry->opened && !entry->finished) entry->written_since++;
  return (uint8_t)(entry->written++ % PATTERN);
}

void ledger_started(void) {
  must(!running, "two runs at once");
  running = 1;
  first_of_run = last_open + 1;
}

void ledger_done(void) {
  running = 0;
}

static void opens(uint32_t id) {
  must(running, "a stream without a run");
  must(id == last_open + 1 && id <= MAX_STREAMS, "stream %u after %u", id, last_open);
  known(id)->opened = 1;
  last_open = id;
  unsigned open = 0;
  for (uint32_t i = first_of_run; i <= last_open; i++) open += !closed(&entries[i]);
  must(open <= MAX_NET_STREAMS, "%u streams at once", open);
}

void ledger_init(uint8_t type, uint32_t id, uint32_t bytes) {
  if (type == FRAME_NET_OPEN) {
    opens(id);
    return;
  }
  must(running, "a frame of type %u without a run", type);
  must(id >= first_of_run && id <= last_open, "a frame of type %u for stream %u, which is not of this run", type, id);
  struct entry *entry = &entries[id];
  must(!entry->reset, "a frame of type %u for stream %u, which was reset", type, id);
  if (type == FRAME_NET_RESET) entry->reset = 1;
  if (type == FRAME_NET_END || type == FRAME_NET_DATA) must(!entry->ended, "stream %u had ended", id);
  if (type == FRAME_NET_END) entry->ended = 1;
  if (type == FRAME_NET_DATA) {
    must(bytes > 0, "data without data");
    must(entry->data + bytes <= MAX_NET_WINDOW_BYTES + entry->granted, "stream %u sends more than its credit", id);
  }
  if (type == FRAME_NET_CREDIT) {
    entry->credited += bytes;
    must(bytes > 0 && entry->credited <= entry->written, "stream %u gives credit for what was not sent", id);
  }
}

void ledger_init_byte(uint32_t id, uint8_t byte) {
  must(byte == entries[id].data++ % PATTERN, "stream %u has another byte at %llu", id,
       (unsigned long long)entries[id].data - 1);
}

int ledger_may_end(uint32_t id) {
  return entries[id].finished || entries[id].dropped || entries[id].reset;
}

int ledger_is_full(void) {
  unsigned open = 0;
  for (uint32_t i = first_of_run; i <= last_open; i++) open += !closed(&entries[i]);
  return open >= MAX_NET_STREAMS;
}

void ledger_quiet(uint32_t id, const struct progress *progress) {
  const struct entry *entry = &entries[id];
  if (!running || id < first_of_run) return;
  must(entry->opened, "stream %u was not reported to the host", id);
  int over = entry->reset || entry->dropped_since || (entry->ended && progress->shut);
  must(!over || !progress->held, "stream %u has ended and still has its place", id);
  if (over || entry->dropped) return;
  if (entry->data < MAX_NET_WINDOW_BYTES + entry->granted_since) {
    must(entry->data == progress->sent, "stream %u: %llu bytes of %llu came", id, (unsigned long long)entry->data,
         (unsigned long long)progress->sent);
    must(entry->ended || !progress->sent_all, "stream %u: its end was not reported", id);
  }
  if (!progress->may_take) return;
  must(progress->taken >= entry->written_since, "stream %u: %llu bytes of %llu were passed on", id,
       (unsigned long long)progress->taken, (unsigned long long)entry->written_since);
  must(progress->taken < entry->credited + MAX_NET_WINDOW_BYTES / 4, "stream %u: its credit was not reported", id);
  must(progress->shut || !entry->finished_since, "stream %u: its end was not passed on", id);
}
