/* The host's frames. They keep to the rules while anything else happens; frames that break them come last. */
#include "world.h"

#include <string.h>

#include "frames/wire.h"

#define STREAM_AT HEADER_BYTES
#define BYTES_AT (HEADER_BYTES + 4)

static const uint8_t *input;
static size_t left;
/* The current frame. */
static size_t frame_at, frame_size;
static uint8_t frame_type;
static uint32_t frame_stream;
static int insisting;

void sender_begin(const uint8_t *bytes, size_t size) {
  input = bytes;
  left = size;
  frame_at = frame_size = 0;
  insisting = 0;
}

size_t sender_left(void) {
  return left;
}

static uint32_t number_at(const uint8_t *at) {
  return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static int is_net(const uint8_t *frame, size_t size) {
  return size >= BYTES_AT && frame[0] >= FRAME_NET_WRITE && frame[0] <= FRAME_NET_GRANT && number_at(frame + 1) >= 4;
}

/* The number of bytes in a frame of a stream. */
static uint32_t bytes_of(const uint8_t *frame, size_t size) {
  if (frame[0] == FRAME_NET_WRITE) return number_at(frame + 1) - 4;
  return frame[0] == FRAME_NET_GRANT && size >= BYTES_AT + 4 ? number_at(frame + BYTES_AT) : 0;
}

static int waits(const uint8_t *frame, size_t size) {
  return is_net(frame, size) && ledger_waits(frame[0], number_at(frame + STREAM_AT), bytes_of(frame, size));
}

int sender_ready(void) {
  return left > 0 && (frame_at < frame_size || insisting || !waits(input, left));
}

void sender_insist(void) {
  insisting = 1;
}

static void begin(void) {
  frame_at = 0;
  frame_type = 0;
  frame_size = left < HEADER_BYTES ? left : HEADER_BYTES + (size_t)number_at(input + 1);
  insisting = 0;
  if (!is_net(input, left)) return;
  frame_type = input[0];
  frame_stream = number_at(input + STREAM_AT);
  ledger_host(frame_type, frame_stream, bytes_of(input, left));
}

size_t sender_give(uint8_t *into, size_t most) {
  size_t given = 0;
  while (given < most && sender_ready()) {
    if (frame_at == frame_size) begin();
    size_t size = frame_size - frame_at;
    if (size > most - given) size = most - given;
    if (size > left) size = left;
    memcpy(into + given, input, size);
    for (size_t i = 0; frame_type == FRAME_NET_WRITE && i < size; i++) {
      if (frame_at + i >= BYTES_AT) into[given + i] = ledger_host_byte(frame_stream);
    }
    input += size;
    left -= size;
    frame_at += size;
    given += size;
  }
  return given;
}
