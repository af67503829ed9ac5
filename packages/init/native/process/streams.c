#define _GNU_SOURCE
#include "process/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "frames/frame_writer.h"
#include "frames/wire.h"
#include "process/pacing.h"

/* More than the default 64 KiB saves turns of the loop. Not more: all pipes of a user share one budget. */
#define PIPE_BYTES (256 * 1024)
#define DISCARD_BYTES (128u * 1024)
#define CAPACITY MAX_PENDING_STDIN_BYTES

struct output outputs[2] = {{.fd = -1, .type = FRAME_STDOUT}, {.fd = -1, .type = FRAME_STDERR}};
int stdin_fd = -1;

/* Page-aligned so that its memory can be released after each run. */
static unsigned char queue[CAPACITY] __attribute__((aligned(4096)));
static size_t queue_head, queued;
static int queue_used, ended;

static int make_pipe(int *own, int *childs, int own_end) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0) return -1;
  *own = ends[own_end];
  *childs = ends[1 - own_end];
  /* Only init's end is non-blocking: programs expect their end to block. */
  return fcntl(*own, F_SETFL, O_NONBLOCK);
}

int streams_open(int child[3]) {
  child[0] = child[1] = child[2] = -1;
  if (make_pipe(&stdin_fd, &child[0], 1) < 0) return -1;
  for (int i = 0; i < 2; i++) {
    if (make_pipe(&outputs[i].fd, &child[1 + i], 0) < 0) return -1;
    fcntl(outputs[i].fd, F_SETPIPE_SZ, PIPE_BYTES);
  }
  return 0;
}

void streams_begin(const uint32_t limits[2], int with_stdin) {
  if (!with_stdin) stdin_close();
  for (int i = 0; i < 2; i++) {
    outputs[i].limit = limits[i];
    outputs[i].total = 0;
  }
}

void streams_close(void) {
  writer_release();
  stdin_close();
  for (int i = 0; i < 2; i++) {
    if (outputs[i].fd >= 0) close(outputs[i].fd);
    outputs[i].fd = -1;
  }
}

int output_wanted(const struct output *output) {
  return output->fd >= 0 && (output->total >= output->limit || writer_pending() < WRITER_FULL);
}

/* Reports the latest bytes of stdout to the pacing. Answers to questions that came together wait a moment for each other. */
static void note_answer(size_t length) {
  struct iovec parts[2];
  int count = writer_last(parts, length);
  for (int i = 0; i < count; i++) {
    if (pacing_answer(parts[i].iov_base, parts[i].iov_len) < 0) stdin_close();
  }
  if (pacing_goes_on()) writer_hold();
  else writer_release();
}

int output_pump(struct output *output) {
  static char discarded[DISCARD_BYTES];
  if (!output_wanted(output)) return 0;
  uint64_t room = output->total < output->limit ? output->limit - output->total : 0;
  ssize_t got;
  if (room > 0) {
    got = write_stream(output->type, "", 0, output->fd, room < MAX_STREAM_BYTES ? (size_t)room : MAX_STREAM_BYTES);
  } else {
    do got = read(output->fd, discarded, sizeof discarded);
    while (got < 0 && errno == EINTR);
  }
  if (got > 0) {
    output->total += (uint64_t)got;
    if (!pacing_on()) writer_release();
    else if (room > 0 && output == &outputs[0]) note_answer((size_t)got);
    return 1;
  }
  if (got == 0 || errno != EAGAIN) {
    close(output->fd);
    output->fd = -1;
  }
  return 0;
}

int stdin_queue(const unsigned char *bytes, size_t length) {
  if (stdin_fd < 0 || ended) return 0;
  if (length > CAPACITY - queued) return -1;
  for (size_t i = 0; i < length; i++) queue[(queue_head + queued + i) % CAPACITY] = bytes[i];
  queued += length;
  queue_used = 1;
  return 0;
}

void stdin_end(void) {
  ended = 1;
  /* The host no longer reads answers, so the questions that are held back are dropped. */
  if (queued == 0 || pacing_on()) stdin_close();
}

static struct pace next(void) {
  unsigned char start[PART_HEADER_BYTES];
  for (size_t i = 0; i < sizeof start; i++) start[i] = queue[(queue_head + i) % CAPACITY];
  return pacing_next(start, queued);
}

int stdin_pending(void) {
  return stdin_fd >= 0 && queued > 0 && next().length > 0;
}

static ssize_t pass_on(size_t length) {
  size_t first = CAPACITY - queue_head < length ? CAPACITY - queue_head : length;
  struct iovec parts[2] = {{queue + queue_head, first}, {queue, length - first}};
  return writev(stdin_fd, parts, 2);
}

void stdin_pump(void) {
  while (stdin_pending()) {
    struct pace pace = next();
    ssize_t put = pace.is_dropped ? (ssize_t)pace.length : pass_on(pace.length);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EAGAIN) return;
    if (put < 0) {
      /* The program has closed its stdin. */
      stdin_close();
      return;
    }
    pacing_advance((size_t)put);
    queue_head = (queue_head + (size_t)put) % CAPACITY;
    queued -= (size_t)put;
  }
  if (stdin_fd >= 0 && ended && queued == 0) stdin_close();
}

void stdin_close(void) {
  if (stdin_fd >= 0) close(stdin_fd);
  stdin_fd = -1;
  queue_head = queued = 0;
  ended = 0;
  if (queue_used) madvise(queue, sizeof queue, MADV_DONTNEED);
  queue_used = 0;
}
