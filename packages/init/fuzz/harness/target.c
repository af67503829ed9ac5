/* Runs init from start to end on one input, and then restores its memory. */
#define _GNU_SOURCE
#include "world.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "install.h"
#include "run/ipc.h"

int init_main(int argc, char **argv);
_Noreturn void fuzz_exit(int with);

/* All variables of native/, which state.ld collects and pads to pages. */
extern char __start_init_state[], __stop_init_state[];

#define MAX_DESCRIPTORS 1024

static jmp_buf ended;
static volatile int code;
static int snapshot = -1;

/* Functions that act on the whole namespace are not fuzzed. */
int ipc_remove(void) {
  return 0;
}

int install_to(const char *target, mode_t mode) {
  (void)target;
  (void)mode;
  return 1;
}

void fuzz_exit(int with) {
  code = with;
  longjmp(ended, 1);
}

/* Raw system calls here and below: the sanitizer would check libc's, and to it the gaps between variables are out of bounds. */
void world_open(const char *folder) {
  size_t size = (size_t)(__stop_init_state - __start_init_state);
  files_open(folder);
  snapshot = memfd_create("init", MFD_CLOEXEC);
  must(syscall(SYS_write, snapshot, __start_init_state, size) == (long)size, "cannot keep a snapshot");
  int highest = snapshot;
  for (int fd = 0; fd < MAX_DESCRIPTORS; fd++) {
    if (fcntl(fd, F_GETFD) >= 0) highest = fd;
  }
  /* No gaps, so that descriptors of an input are higher than all before and can be closed by number. */
  while (dup(snapshot) < highest) continue;
}

static void restore(void) {
  size_t size = (size_t)(__stop_init_state - __start_init_state);
  long at = syscall(SYS_mmap, __start_init_state, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, snapshot, 0l);
  must(at == (long)(intptr_t)__start_init_state, "cannot restore");
}

/* The last byte is the length of the script before it; the host sends the rest. */
int run_input(const uint8_t *data, size_t size) {
  size_t script = size == 0 ? 0 : data[size - 1], body = size == 0 ? 0 : size - 1;
  if (script > body) script = body;
  int first_free = dup(snapshot);
  restore();
  files_begin();
  sink_begin();
  ledger_begin();
  net_begin();
  program_begin();
  host_begin(data, body - script, data + body - script, script);
  char name[] = "init", *arguments[] = {name, NULL};
  if (setjmp(ended) == 0) init_main(1, arguments);
  host_takes_all();
  sink_end(code);
  files_end();
  syscall(SYS_close_range, first_free, ~0u, 0u);
  return code;
}
