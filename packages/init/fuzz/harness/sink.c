/* Parses init's output as a strict host would. */
#include "world.h"

#include <stdlib.h>
#include <string.h>

#include "frames/wire.h"

static uint8_t header[HEADER_BYTES];
static char text[MAX_JSON_BYTES + 1];
static size_t header_filled, length, taken, secret_matched;
static uint32_t stream, credit;
static uint64_t room[2];
static int last_was_end; /* the last frame reported the end of init */

void sink_begin(void) {
  header_filled = length = taken = secret_matched = 0;
  last_was_end = 0;
  room[0] = room[1] = 0;
}

static size_t bound(uint8_t type) {
  switch (type) {
    case FRAME_STDOUT:
    case FRAME_STDERR: return MAX_STREAM_BYTES;
    case FRAME_FILE: return MAX_INIT_PAYLOAD_BYTES;
    case FRAME_NET_OPEN:
    case FRAME_NET_END:
    case FRAME_NET_RESET: return 4;
    case FRAME_NET_CREDIT: return 8;
    case FRAME_NET_DATA: return 4 + MAX_NET_BYTES;
    default: return MAX_JSON_BYTES;
  }
}

static void begin(void) {
  uint8_t type = header[0];
  length = header[1] | (size_t)header[2] << 8 | (size_t)header[3] << 16 | (size_t)header[4] << 24;
  taken = 0;
  must(type >= FRAME_READY, "a frame of type %u", type);
  must(length > 0 && length <= bound(type), "a frame of type %u with %zu bytes", type, length);
  if (type == FRAME_STDOUT || type == FRAME_STDERR) {
    uint64_t *left = &room[type - FRAME_STDOUT];
    must(length <= *left, "more output than was asked for");
    *left -= length;
  }
}

static int is_net(void) {
  return header[0] >= FRAME_NET_OPEN && header[0] <= FRAME_NET_CREDIT;
}

static int is_json(void) {
  if (is_net() || header[0] == FRAME_STDOUT || header[0] == FRAME_STDERR || header[0] == FRAME_FILE) return 0;
  return 1;
}

static uint64_t number_of(const char *name) {
  const char *at = strstr(text, name);
  must(at != NULL, "no %s in %s", name, text);
  return strtoull(at + strlen(name), NULL, 10);
}

static void end(void) {
  last_was_end = 0;
  if (is_net()) must(length >= 4 && (header[0] != FRAME_NET_CREDIT || length == 8), "a frame of a stream is too short");
  if (is_net() && header[0] != FRAME_NET_DATA) ledger_init(header[0], stream, credit);
  if (!is_json()) return;
  text[length] = '\0';
  must(text[0] == '{' && text[length - 1] == '}' && strlen(text) == length, "no JSON object: %s", text);
  for (size_t i = 0; i < length; i++) must(text[i] >= ' ' && text[i] <= '~', "an odd byte in JSON: %s", text);
  /* Tracked by frames, because the host may be several runs behind. */
  if (header[0] == FRAME_STARTED) {
    room[0] = number_of("\"stdoutLimit\":");
    room[1] = number_of("\"stderrLimit\":");
  }
  if (header[0] == FRAME_STARTED) ledger_started();
  if (header[0] == FRAME_DONE) {
    ledger_done();
    room[0] = room[1] = 0;
  }
  last_was_end = header[0] == FRAME_FAULT && strstr(text, "\"where\":\"put\"") == NULL &&
                 strstr(text, "\"where\":\"net\"") == NULL &&
                 strstr(text, "\"where\":\"exec\"") == NULL;
}

/* The number of the stream, then the payload. */
static void payload_of_stream(uint8_t byte) {
  if (taken == 0) stream = credit = 0;
  if (taken < 4) stream |= (uint32_t)byte << (8 * taken);
  else if (header[0] == FRAME_NET_CREDIT) credit |= (uint32_t)byte << (8 * (taken - 4));
  else ledger_init_byte(stream, byte);
  if (header[0] == FRAME_NET_DATA && taken == 3) ledger_init(header[0], stream, (uint32_t)length - 4);
}

static void payload(uint8_t byte) {
  if (is_net()) payload_of_stream(byte);
  if (is_json()) text[taken] = (char)byte;
  secret_matched = byte == (uint8_t)SECRET[secret_matched] ? secret_matched + 1 : byte == (uint8_t)SECRET[0];
  must(secret_matched < sizeof SECRET - 1, "a file from outside of the workspace");
  if (++taken == length) end();
}

/* How many of the next bytes cannot be part of the secret: all of the frame but its last ones, or none. */
static size_t plain_bytes(const uint8_t *bytes, size_t size) {
  size_t most = length - taken - 1 < size ? length - taken - 1 : size;
  return memchr(bytes, SECRET[0], most) == NULL ? most : 0;
}

void sink_take(const uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (header_filled < HEADER_BYTES) {
      header[header_filled++] = bytes[i];
      if (header_filled == HEADER_BYTES) begin();
      continue;
    }
    size_t plain = is_json() || is_net() || secret_matched > 0 ? 0 : plain_bytes(bytes + i, size - i);
    if (plain > 0) {
      taken += plain;
      i += plain - 1;
    } else payload(bytes[i]);
    if (taken == length) header_filled = 0;
  }
}

void sink_end(int exit_code) {
  must(exit_code == EXIT_QUIT || exit_code == EXIT_HOST_GONE || exit_code == EXIT_BROKEN, "exit code %d", exit_code);
  /* Otherwise the queue overflowed, or an announced length was wrong. */
  if (exit_code == EXIT_BROKEN) must(last_was_end && header_filled == 0, "init ended without a fault");
}
