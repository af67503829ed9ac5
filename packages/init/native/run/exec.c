#include "run/exec.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "common/util.h"
#include "files/put.h"
#include "frames/fault.h"
#include "frames/wire.h"
#include "run/preload.h"
#include "run/reset.h"
#include "run/run.h"

/* Offset of what a preloaded process cannot change: limits, cwd, argv and env, with their counts in front. */
#define COMMAND 20u
#define COUNTS_BYTES 6u
/* A limit of each process: resource and value. */
#define LIMIT_BYTES 8u

/* argv and env, each with its final NULL. */
static char *strings[MAX_EXEC_STRINGS + 2];

struct reader {
  unsigned char *at;
  size_t left;
};

static struct process_limits next_limits(struct reader *reader, unsigned count) {
  struct process_limits limits = {.count = count};
  if (count > MAX_PROCESS_LIMITS || reader->left < count * LIMIT_BYTES) fatal("frame", EBADMSG);
  for (unsigned i = 0; i < count; i++, reader->at += LIMIT_BYTES, reader->left -= LIMIT_BYTES) {
    limits.resource[i] = get_u32(reader->at);
    limits.value[i] = get_u32(reader->at + 4);
    if (limits.resource[i] >= RLIM_NLIMITS) fatal("frame", EBADMSG);
  }
  return limits;
}

/* The next string, moved over its length field to make room for a NUL. */
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

/* Identifies a command: FNV-1a. */
static uint64_t digest_of(const unsigned char *bytes, size_t length) {
  uint64_t digest = 0xcbf29ce484222325u;
  for (size_t i = 0; i < length; i++) digest = (digest ^ bytes[i]) * 0x100000001b3u;
  return digest | 1;
}

static struct exec_request read_request(unsigned char *payload, size_t length) {
  struct exec_request request = {
      .wall_ms = get_u32(payload),
      .cpu_ms = get_u32(payload + 4),
      .stdout_limit = get_u32(payload + 8),
      .stderr_limit = get_u32(payload + 12),
      .flags = get_u32(payload + 16),
      .digest = digest_of(payload + COMMAND, length - COMMAND),
  };
  const unsigned char *counts = payload + COMMAND;
  unsigned argc = get_u16(counts + 2), envc = get_u16(counts + 4);
  if (argc == 0 || argc + envc > MAX_EXEC_STRINGS || request.wall_ms == 0) fatal("frame", EBADMSG);
  struct reader reader = {payload + COMMAND + COUNTS_BYTES, length - COMMAND - COUNTS_BYTES};
  request.limits = next_limits(&reader, get_u16(counts));
  request.cwd = next_string(&reader);
  request.argv = next_strings(&reader, strings, argc);
  request.env = next_strings(&reader, strings + argc + 1, envc);
  if (reader.left != 0) fatal("frame", EBADMSG);
  return request;
}

void exec_frame(unsigned char *payload, size_t length, int refused) {
  struct exec_request request = read_request(payload, length);
  request.flags &= ~EXEC_FORKS;
  if (refused == 0 && (request.flags & EXEC_RESETS) != 0) reset_later();
  if (refused != 0) fault("exec", refused);
  else if (put_take_failure()) run_refuse(ECANCELED);
  else run_start(&request);
}

void preload_frame(unsigned char *payload, size_t length, int refused) {
  size_t size = get_u16(payload);
  char name[MAX_MAIN_BYTES + 1];
  if (size > MAX_MAIN_BYTES || size + PRELOAD_HEAD > length) fatal("frame", EBADMSG);
  memcpy(name, payload + 2, size);
  name[size] = '\0';
  if (strlen(name) != size || strchr(name, '/') != NULL) fatal("frame", EBADMSG);
  struct exec_request request = read_request(payload + 2 + size, length - 2 - size);
  /* The run sets its own values when it starts. */
  request.flags &= EXEC_FORKS;
  request.cpu_ms = 0;
  if (refused != 0) fault("exec", refused);
  else preload_start(&request, name);
}
