#include "process/pacing.h"

#include <stdint.h>

/* Kinds of parts: the last one of a message; the last one of a question that another one follows. `channel.py` has the others. */
enum kind { KIND_LAST = 0, KIND_NEXT = 3 };

static int paced;

/* Of stdin: bytes left of the current part, and whether they are dropped. */
static size_t left;
static int is_dropped;
/* Whether another question follows the current part, and whether what follows is dropped. */
static int is_followed, drops_rest;
/* Number of parts that the program got and has not answered. */
static unsigned unanswered;

/* Of stdout: the current part's header, and bytes left of its content. */
static unsigned char header[PART_HEADER_BYTES];
static size_t header_filled, content_left;

void pacing_begin(int is_paced) {
  paced = is_paced;
  left = header_filled = content_left = 0;
  is_dropped = is_followed = drops_rest = 0;
  unanswered = 0;
}

int pacing_on(void) {
  return paced;
}

static size_t content_length(const unsigned char *part) {
  return (size_t)part[0] << 24 | (size_t)part[1] << 16 | (size_t)part[2] << 8 | part[3];
}

static void begin(const unsigned char *part) {
  left = PART_HEADER_BYTES + content_length(part);
  is_followed = part[4] == KIND_NEXT;
  is_dropped = drops_rest;
  drops_rest = drops_rest && is_followed;
  if (!is_dropped) unanswered++;
}

struct pace pacing_next(const unsigned char *start, size_t waiting) {
  if (!paced) return (struct pace){.length = waiting};
  if (left == 0) {
    int is_held = is_followed && !drops_rest && unanswered > 0;
    if (is_held || waiting < PART_HEADER_BYTES) return (struct pace){0};
    begin(start);
  }
  return (struct pace){.length = left < waiting ? left : waiting, .is_dropped = is_dropped};
}

void pacing_advance(size_t length) {
  if (paced) left -= length;
}

/* A part of the program is complete. */
static int answered(void) {
  if (unanswered == 0) return -1;
  unanswered--;
  /* The judge reads any other answer before it asks again. */
  if (header[4] != KIND_LAST) drops_rest = is_followed;
  return 0;
}

int pacing_goes_on(void) {
  return paced && is_followed && !drops_rest;
}

int pacing_answer(const unsigned char *bytes, size_t length) {
  for (size_t at = 0; at < length;) {
    if (header_filled < PART_HEADER_BYTES) {
      header[header_filled++] = bytes[at++];
      if (header_filled < PART_HEADER_BYTES) continue;
      content_left = content_length(header);
    } else {
      size_t taken = content_left < length - at ? content_left : length - at;
      content_left -= taken;
      at += taken;
    }
    if (content_left > 0) continue;
    header_filled = 0;
    if (answered() < 0) return -1;
  }
  return 0;
}
