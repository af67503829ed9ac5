#include "exec.h"

#include <errno.h>
#include <string.h>

#include "life.h"
#include "put.h"
#include "run.h"
#include "util.h"
#include "wire.h"

#define NUMBERS 28u

/* argv and env, each with its NULL. */
static char *strings[MAX_EXEC_STRINGS + 2];

struct reader {
  unsigned char *at;
  size_t left;
};

/* The next string, moved over its length so that a NUL fits behind it. */
static char *next_string(struct reader *reader) {
  if (reader->left < 4) fatal("frame", EBADMSG);
  size_t size = get_u32(reader->at);
  if (size > reader->left - 4 || memchr(reader->at + 4, '\0', size) != NULL) fatal("frame", EBADMSG);
  char *string = (char *)reader->at;
  memmove(string, string + 4, size);
  string[size] = '\0';
  reader->at += 4 + size;
  reader->left -= 4 + size;
  return string;
}

static char **next_strings(struct reader *reader, char **into, unsigned count) {
  for (unsigned i = 0; i < count; i++) into[i] = next_string(reader);
  into[count] = NULL;
  return into;
}

void exec_frame(unsigned char *payload, size_t length, int refused) {
  struct exec_request request = {
      .wall_ms = get_u32(payload),
      .cpu_ms = get_u32(payload + 4),
      .stdout_limit = get_u32(payload + 8),
      .stderr_limit = get_u32(payload + 12),
      .flags = get_u32(payload + 16),
      .open_files = get_u32(payload + 20),
  };
  unsigned argc = get_u16(payload + 24), envc = get_u16(payload + 26);
  if (argc == 0 || argc + envc > MAX_EXEC_STRINGS || request.wall_ms == 0) fatal("frame", EBADMSG);
  struct reader reader = {payload + NUMBERS, length - NUMBERS};
  request.cwd = next_string(&reader);
  request.argv = next_strings(&reader, strings, argc);
  request.env = next_strings(&reader, strings + argc + 1, envc);
  if (reader.left != 0) fatal("frame", EBADMSG);
  if (refused != 0) fault("exec", refused);
  else if (put_take_failure()) run_refuse(ECANCELED);
  else run_start(&request);
}
