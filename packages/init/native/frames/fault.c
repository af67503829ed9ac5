#define _GNU_SOURCE
#include "frames/fault.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Whether stdin and stdout are one socket. */
static int is_one_socket(void) {
  struct stat in, out;
  if (fstat(STDIN_FILENO, &in) < 0 || fstat(STDOUT_FILENO, &out) < 0) return 0;
  return S_ISSOCK(in.st_mode) && in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

/*
 * Closing a socket with unread bytes resets it: the host's next write fails, and the host may drop frames that it has not read yet.
 * So this discards input until the host closes its end. All programs have been killed by then.
 */
static void drain_until_host_closes(void) {
  if (!is_one_socket() || shutdown(STDOUT_FILENO, SHUT_WR) < 0) return;
  char ignored[4096];
  for (;;) {
    ssize_t got = read(STDIN_FILENO, ignored, sizeof ignored);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return;
    struct pollfd host = {.fd = STDIN_FILENO, .events = POLLIN};
    if (got < 0) poll(&host, 1, -1);
  }
}

_Noreturn void fatal(const char *where, int error) {
  kill(-1, SIGKILL);
  fault(where, error);
  writer_flush_within(FLUSH_TIMEOUT_MS);
  drain_until_host_closes();
  exit_init(EXIT_BROKEN);
}
