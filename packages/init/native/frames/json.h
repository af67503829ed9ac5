/* Writes one JSON object of numbers, lists of numbers, booleans and fixed words, never text of a program. */
#ifndef ISOPOD_JSON_H
#define ISOPOD_JSON_H

#include <stdint.h>

void json_begin(void);
/* A negative value is written as null. */
void json_number(const char *name, int64_t value);
void json_numbers(const char *name, unsigned count, const int64_t *values);
/* Microseconds, written as milliseconds with three decimals. */
void json_ms(const char *name, int64_t us);
void json_flag(const char *name, int value);
/* NULL is written as null. */
void json_word(const char *name, const char *word);
/* Queues the object as a frame. */
void json_send(unsigned char type);

const char *error_name(int error);

#endif
