/*
 * Paces the messages that a program gets on its stdin: one that follows a question is passed on once the program has answered
 * that question on its stdout. So the host can send many questions at once, and the program sees each only after it has sent its
 * answers to all earlier ones.
 *
 * In both directions a message comes in parts: length in four bytes, big-endian, kind in one, content.
 */
#ifndef ISOPOD_PACING_H
#define ISOPOD_PACING_H

#include <stddef.h>

#define PART_HEADER_BYTES 5u

/* What is to be done with the next bytes of stdin. */
struct pace {
  size_t length; /* 0 to wait */
  int is_dropped;
};

/* Begins with a new program. */
void pacing_begin(int is_paced);
int pacing_on(void);
/* Decides about waiting bytes, of which `start` has the first PART_HEADER_BYTES. */
struct pace pacing_next(const unsigned char *start, size_t waiting);
/* Takes note of bytes that were passed on or dropped. */
void pacing_advance(size_t length);
/* Takes note of bytes that the program wrote. -1 if it answers what it was not asked. */
int pacing_answer(const unsigned char *bytes, size_t length);
/* Whether a question that came with the latest one is passed on once that is answered. */
int pacing_goes_on(void);

#endif
