#define _GNU_SOURCE
#include "frames/fault.h"

#include <signal.h>

#include "common/exit_init.h"
#include "frames/frame_writer.h"
#include "frames/json.h"
#include "frames/wire.h"

/* How long the host gets to read the fault that ends init. */
#define FLUSH_TIMEOUT_MS 1000

void fault(const char *where, int error) {
  json_begin();
  json_word("where", where);
  json_word("error", error_name(error));
  json_send(FRAME_FAULT);
}

_Noreturn void fatal(const char *where, int error) {
  kill(-1, SIGKILL);
  fault(where, error);
  writer_flush_within(FLUSH_TIMEOUT_MS);
  exit_init(EXIT_BROKEN);
}
