/* libFuzzer's entry points: the target, and a mutator that keeps the lengths of most frames valid. */
#include <stdlib.h>
#include <string.h>

#include "world.h"

#define HEADER 5u
#define MAX_FRAMES 64

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  const char *folder = getenv("ISOPOD_FUZZ_ROOT");
  char own[4096];
  must(folder != NULL && strlen(folder) < sizeof own - 8, "ISOPOD_FUZZ_ROOT must name an empty folder");
  strcpy(own, folder);
  /* libFuzzer starts itself again to merge and to minimise. */
  must(mkdtemp(strcat(own, "/XXXXXX")) != NULL, "cannot make %s", own);
  world_open(own);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  run_input(data, size);
  return 0;
}

static size_t length_at(const uint8_t *at) {
  return at[1] | (size_t)at[2] << 8 | (size_t)at[3] << 16 | (size_t)at[4] << 24;
}

/* Finds the offsets of the complete frames, and of the end of the last one; returns the number of frames. */
static size_t find_frames(const uint8_t *data, size_t size, size_t starts[MAX_FRAMES + 1]) {
  size_t count = 0, at = 0;
  while (count < MAX_FRAMES && size - at >= HEADER && length_at(data + at) <= size - at - HEADER) {
    starts[count++] = at;
    at += HEADER + length_at(data + at);
  }
  starts[count] = at;
  return count;
}

/* Replaces `old` bytes by `length` others; returns the new size, or 0 when there is no room. */
static size_t splice(uint8_t *data, size_t size, size_t max_size, size_t at, size_t old, const uint8_t *bytes,
                     size_t length) {
  if (size - old + length > max_size) return 0;
  memmove(data + at + length, data + at + old, size - at - old);
  memcpy(data + at, bytes, length);
  return size - old + length;
}

static size_t mutate_payload(uint8_t *data, size_t size, size_t max_size, size_t at) {
  static uint8_t bytes[1 << 20];
  size_t old = length_at(data + at), most = old + 64 + old / 2;
  if (old > sizeof bytes || most > sizeof bytes) return 0;
  memcpy(bytes, data + at + HEADER, old);
  size_t length = LLVMFuzzerMutate(bytes, old, most);
  size_t grown = splice(data, size, max_size, at + HEADER, old, bytes, length);
  for (unsigned i = 0; grown > 0 && i < 4; i++) data[at + 1 + i] = (uint8_t)(length >> (8 * i));
  return grown;
}

static size_t copy_frame(uint8_t *data, size_t size, size_t max_size, size_t from, size_t to) {
  static uint8_t frame[1 << 16];
  size_t length = HEADER + length_at(data + from);
  if (length > sizeof frame) return 0;
  memcpy(frame, data + from, length);
  return splice(data, size, max_size, to, 0, frame, length);
}

/* Mutates the end of the input: a script, whose length is the last byte. */
static size_t mutate_script(uint8_t *data, size_t size, size_t max_size) {
  uint8_t script[256];
  size_t length = data[size - 1] < size - 1 ? data[size - 1] : size - 1, at = size - 1 - length;
  memcpy(script, data + at, length);
  length = LLVMFuzzerMutate(script, length, 255);
  script[length] = (uint8_t)length;
  return splice(data, size, max_size, at, size - at, script, length + 1);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
  size_t starts[MAX_FRAMES + 1], changed = 0;
  size_t script = size == 0 ? 0 : data[size - 1], body = size == 0 ? 0 : size - 1;
  size_t count = find_frames(data, body - (script > body ? body : script), starts);
  size_t one = count > 0 ? (seed >> 8) % count : 0, other = count > 0 ? (seed >> 16) % (count + 1) : 0;
  switch (size == 0 ? 7 : seed % 8) {
    case 0:
    case 1:
    case 2:
      if (count > 0) changed = mutate_payload(data, size, max_size, starts[one]);
      break;
    case 3:
      if (count > 0) changed = copy_frame(data, size, max_size, starts[one], starts[other]);
      break;
    case 4:
      if (count > 1) changed = splice(data, size, max_size, starts[one], starts[one + 1] - starts[one], data, 0);
      break;
    case 5: changed = mutate_script(data, size, max_size); break;
    default: break;
  }
  return changed > 0 ? changed : LLVMFuzzerMutate(data, size, max_size);
}
