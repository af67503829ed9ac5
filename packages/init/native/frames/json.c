#define _GNU_SOURCE
#include "frames/json.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "frames/frame_writer.h"
#include "frames/wire.h"

/* Larger integers are not exact as a double, which the host reads. */
#define MAX_SAFE ((int64_t)1 << 53)
#define NO_ROOM_FOR_FILTERS 524

static char text[MAX_JSON_BYTES];
static size_t used;

static void __attribute__((format(printf, 1, 2))) append(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text + used, sizeof text - used, format, arguments);
  va_end(arguments);
  if (length > 0 && (size_t)length < sizeof text - used) used += (size_t)length;
}

static void name_field(const char *name) {
  append("%s\"%s\":", used > 1 ? "," : "", name);
}

void json_begin(void) {
  used = 0;
  append("{");
}

static void append_number(int64_t value) {
  if (value < 0 || value >= MAX_SAFE) append("null");
  else append("%" PRId64, value);
}

void json_number(const char *name, int64_t value) {
  name_field(name);
  append_number(value);
}

void json_numbers(const char *name, unsigned count, const int64_t *values) {
  name_field(name);
  append("[");
  for (unsigned i = 0; i < count; i++) {
    if (i > 0) append(",");
    append_number(values[i]);
  }
  append("]");
}

void json_ms(const char *name, int64_t us) {
  name_field(name);
  if (us < 0) append("null");
  else append("%" PRId64 ".%03" PRId64, us / 1000, us % 1000);
}

void json_flag(const char *name, int value) {
  name_field(name);
  append("%s", value < 0 ? "null" : value ? "true" : "false");
}

void json_word(const char *name, const char *word) {
  name_field(name);
  if (word == NULL) append("null");
  else append("\"%s\"", word);
}

void json_send(unsigned char type) {
  append("}");
  write_frame(type, text, used);
}

const char *error_name(int error) {
  /* A kernel-internal error without a public name: no memory is left for another filter. */
  if (error == NO_ROOM_FOR_FILTERS) return "ENOTSUPP";
  const char *name = strerrorname_np(error);
  return name != NULL ? name : "EIO";
}
