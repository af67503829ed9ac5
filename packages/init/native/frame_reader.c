#include "frame_reader.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/exit_init.h"
#include "common/util.h"
#include "files/fetch.h"
#include "files/put.h"
#include "files/snapshot.h"
#include "frames/fault.h"
#include "frames/frame_writer.h"
#include "frames/wire.h"
#include "network/tunnel.h"
#include "process/streams.h"
#include "resources/ready.h"
#include "run/exec.h"
#include "run/reset.h"
#include "run/run.h"

#define PUT_HEAD 4u
#define FETCH_HEAD 4u
#define NET_HEAD 4u

static unsigned char buffer[64 * 1024];
static size_t buffer_at, buffer_filled;

static unsigned char header[HEADER_BYTES];
static size_t header_filled;
static unsigned char type;
static size_t length, taken;

/* The part of a payload that is handled as a whole: all of exec and fetch; of put all but the content. */
static unsigned char held[MAX_EXEC_BYTES + 1];
static size_t held_wanted;

static int refused; /* errno of the current frame if it arrived at a wrong time, else 0 */

int reader_fill(void) {
  if (buffer_at < buffer_filled) return 0;
  ssize_t got;
  do got = read(STDIN_FILENO, buffer, sizeof buffer);
  while (got < 0 && errno == EINTR);
  if (got < 0 && errno == EAGAIN) return 0;
  if (got <= 0) return -1;
  buffer_at = 0;
  buffer_filled = (size_t)got;
  return 0;
}

int reader_wants_input(void) {
  return buffer_at == buffer_filled && !writer_at_reserve();
}

static int length_fits(void) {
  switch (type) {
    case FRAME_PUT_FILE: return length > PUT_HEAD && length <= MAX_HOST_PAYLOAD_BYTES;
    case FRAME_EXEC: return length >= EXEC_HEAD && length <= MAX_EXEC_BYTES;
    case FRAME_PRELOAD: return length >= PRELOAD_HEAD && length <= MAX_EXEC_BYTES;
    case FRAME_STDIN: return length <= MAX_HOST_PAYLOAD_BYTES;
    case FRAME_KILL: return length == 1;
    case FRAME_FETCH: return length > FETCH_HEAD && length <= FETCH_HEAD + MAX_PATH_BYTES;
    case FRAME_NET_WRITE: return length > NET_HEAD && length <= NET_HEAD + MAX_NET_BYTES;
    case FRAME_NET_FINISH:
    case FRAME_NET_DROP: return length == NET_HEAD;
    case FRAME_NET_GRANT: return length == NET_HEAD + 4;
    case FRAME_RESET:
    case FRAME_SNAPSHOT:
    case FRAME_RESTORE:
    case FRAME_INSPECT:
    case FRAME_QUIT: return length == 0;
    default: return 0;
  }
}

static size_t held_at_first(void) {
  switch (type) {
    case FRAME_PUT_FILE: return PUT_HEAD;
    case FRAME_NET_WRITE: return NET_HEAD;
    case FRAME_EXEC:
    case FRAME_PRELOAD:
    case FRAME_FETCH:
    case FRAME_NET_FINISH:
    case FRAME_NET_DROP:
    case FRAME_NET_GRANT: return length;
    default: return 0;
  }
}

static int is_net(void) {
  return type == FRAME_NET_WRITE || type == FRAME_NET_FINISH || type == FRAME_NET_DROP || type == FRAME_NET_GRANT;
}

static void begin(void) {
  type = header[0];
  length = get_u32(header + 1);
  taken = 0;
  refused = 0;
  held_wanted = held_at_first();
}

/* Whether the current frame must wait for the end of a run. A reset ends the run. */
static int must_wait(void) {
  if (type == FRAME_STDIN || type == FRAME_KILL || type == FRAME_QUIT || type == FRAME_INSPECT || is_net()) return 0;
  /* Sent ahead, to be handled after the run. */
  if (type == FRAME_RESTORE) return run_state() != RUN_IDLE;
  if (type == FRAME_RESET) run_end(CAUSE_KILL);
  if (run_state() == RUN_ACTIVE) refused = EBUSY;
  return run_state() == RUN_DRAINING;
}

/* A path as a C string. One that contains a NUL becomes empty, which no caller accepts. */
static char *path_in(unsigned char *bytes, size_t size) {
  bytes[size] = '\0';
  if (memchr(bytes, '\0', size) != NULL) bytes[0] = '\0';
  return (char *)bytes;
}

/* Called twice: with the first four bytes, which hold the length of the path, then with the path too. */
static void put_head(void) {
  size_t path_length = get_u16(held + 2);
  if (path_length == 0 || path_length > MAX_PATH_BYTES || PUT_HEAD + path_length > length) fatal("frame", EBADMSG);
  if (held_wanted == PUT_HEAD) {
    held_wanted += path_length;
    return;
  }
  if (refused != 0) put_refuse(refused);
  else put_begin(path_in(held + PUT_HEAD, path_length), get_u16(held), length - held_wanted);
}

static void take_stdin(const unsigned char *bytes, size_t size) {
  if (run_state() == RUN_ACTIVE && stdin_queue(bytes, size) < 0) fatal("stdin", ENOBUFS);
}

/* Handles the next bytes of the payload; returns how many. */
static size_t take(unsigned char *bytes, size_t available) {
  size_t size = length - taken < available ? length - taken : available;
  if (taken < held_wanted) {
    if (size > held_wanted - taken) size = held_wanted - taken;
    memcpy(held + taken, bytes, size);
    taken += size;
    if (taken == held_wanted && type == FRAME_PUT_FILE) put_head();
    return size;
  }
  if (type == FRAME_PUT_FILE) put_bytes(bytes, size);
  if (type == FRAME_STDIN) take_stdin(bytes, size);
  if (type == FRAME_NET_WRITE) tunnel_write(get_u32(held), bytes, size);
  taken += size;
  return size;
}

/* During a run, the first one is answered after the run. */
static void fetch_frame(void) {
  char *path = path_in(held + FETCH_HEAD, length - FETCH_HEAD);
  uint32_t max = get_u32(held);
  if (refused == 0) fetch_begin(path, max);
  else if (!fetch_later(path, max)) fetch_refuse(refused);
}

static void finish(void) {
  switch (type) {
    case FRAME_PUT_FILE: put_end(); break;
    case FRAME_EXEC: exec_frame(held, length, refused); break;
    case FRAME_PRELOAD: preload_frame(held, length, refused); break;
    case FRAME_STDIN:
      if (length == 0 && run_state() == RUN_ACTIVE) stdin_end();
      break;
    case FRAME_KILL: run_end(CAUSE_KILL); break;
    case FRAME_FETCH: fetch_frame(); break;
    case FRAME_RESET: reset(); break;
    case FRAME_SNAPSHOT: snapshot_take(refused); break;
    case FRAME_RESTORE: reset_and_restore(); break;
    case FRAME_INSPECT: ready_send(); break;
    case FRAME_NET_FINISH: tunnel_finish(get_u32(held)); break;
    case FRAME_NET_DROP: tunnel_drop(get_u32(held)); break;
    case FRAME_NET_GRANT: tunnel_grant(get_u32(held), get_u32(held + NET_HEAD)); break;
    case FRAME_QUIT: exit_init(EXIT_QUIT);
    default: break;
  }
}

void reader_dispatch(void) {
  for (;;) {
    if (header_filled < HEADER_BYTES) {
      if (buffer_at == buffer_filled) return;
      header[header_filled++] = buffer[buffer_at++];
      if (header_filled == HEADER_BYTES) begin();
      continue;
    }
    if (taken == 0) {
      /* Checked before a broken frame is reported: the fault must not land within a file that is still being sent. */
      if (writer_at_reserve() || fetch_active()) return;
      if (!length_fits()) fatal("frame", EBADMSG);
      if (must_wait()) return;
    }
    if (taken < length) {
      if (buffer_at == buffer_filled) return;
      buffer_at += take(buffer + buffer_at, buffer_filled - buffer_at);
      if (taken < length) continue;
    }
    finish();
    header_filled = 0;
  }
}
