/* PID 1 of a container: carries out the host's frames, one run at a time, and outlives every program. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/exit_init.h"
#include "common/util.h"
#include "confinement/hide_init.h"
#include "files/fetch.h"
#include "files/mounts.h"
#include "files/open_ahead.h"
#include "frame_reader.h"
#include "frames/frame_writer.h"
#include "frames/wire.h"
#include "install.h"
#include "network/tunnel.h"
#include "process/oom_score.h"
#include "process/streams.h"
#include "resources/cgroup.h"
#include "resources/ready.h"
#include "run/leftovers.h"
#include "run/preload.h"
#include "run/reset.h"
#include "run/run.h"

#ifndef __NR_close_range
#define __NR_close_range 436
#endif
#define MAX_INHERITED 1024

enum watched { HOST_IN, HOST_OUT, CHILDREN, PROGRAM_IN, PROGRAM_OUT, PROGRAM_ERR, MAIN_PIPE, WATCHED };

static struct pollfd watched[WATCHED + TUNNEL_WATCHED];

static void close_inherited(void) {
  if (syscall(__NR_close_range, 3u, ~0u, 0u) == 0) return;
  for (int fd = 3; fd < MAX_INHERITED; fd++) close(fd);
}

static void own_stdio(void) {
  for (int fd = 0; fd < 3; fd++) {
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 && fd < 2) _exit(EXIT_USAGE);
    /* Keeps the descriptor's number in use, so that no pipe of a run gets it. */
    if (flags < 0 && dup2(STDIN_FILENO, fd) < 0) _exit(EXIT_USAGE);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    if (fd < 2) fcntl(fd, F_SETFL, flags | O_NONBLOCK);
  }
}

/*
 * In a full container without swap the kernel drops pages of program text and reads them again. Init would slow down just
 * when it must end the program. Pages are locked on first use, which costs nothing up front. A failure is ignored.
 */
static void stay_in_memory(void) {
  extern char __executable_start[], edata[];
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)__executable_start / page * page;
  mlock2((void *)start, (uintptr_t)edata - start, MLOCK_ONFAULT);
}

static int watch_children(void) {
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  signal(SIGPIPE, SIG_IGN);
  sigprocmask(SIG_SETMASK, &children, NULL);
  return signalfd(-1, &children, SFD_NONBLOCK | SFD_CLOEXEC);
}

static void watch(enum watched index, int fd, short events) {
  watched[index] = (struct pollfd){.fd = fd, .events = events};
}

/* Of two times, either of which may be -1 for none. */
static int64_t earliest(int64_t one, int64_t other) {
  if (one < 0 || other < 0) return one < 0 ? other : one;
  return one < other ? one : other;
}

static void wait_for_something(void) {
  watch(HOST_IN, STDIN_FILENO, reader_wants_input() ? POLLIN : 0);
  watch(HOST_OUT, STDOUT_FILENO, writer_is_due() ? POLLOUT : 0);
  /* poll reports a closed reader even without requested events. `serve` handles it; otherwise the loop would spin. */
  watch(PROGRAM_IN, stdin_fd, stdin_pending() ? POLLOUT : 0);
  for (int i = 0; i < 2; i++) {
    int wanted = run_state() != RUN_IDLE && output_wanted(&outputs[i]);
    watch(PROGRAM_OUT + (unsigned)i, wanted ? outputs[i].fd : -1, POLLIN);
  }
  watch(MAIN_PIPE, preload_fd(), POLLOUT);
  nfds_t count = WATCHED + tunnel_watch(watched + WATCHED);
  int64_t next = earliest(run_next_us(), writer_next_us()), wait = next - now_us();
  if (wait < 0) wait = 0;
  struct timespec timeout = {wait / 1000000, wait % 1000000 * 1000};
  if (ppoll(watched, count, next < 0 ? NULL : &timeout, NULL) < 0) {
    /* Interrupted, or out of memory for a moment: the loop takes another turn. */
    for (nfds_t i = 0; i < count; i++) watched[i].revents = 0;
  }
}

static void handle_host(void) {
  const short gone = POLLERR | POLLHUP | POLLNVAL;
  if ((watched[HOST_OUT].revents & gone) != 0 || (writer_is_due() && writer_flush() < 0)) exit_init(EXIT_HOST_GONE);
  if ((watched[HOST_IN].revents & POLLIN) != 0) {
    if (reader_fill() < 0) exit_init(EXIT_HOST_GONE);
  } else if ((watched[HOST_IN].revents & gone) != 0) {
    exit_init(EXIT_HOST_GONE);
  }
}

_Noreturn static void serve(char *const *paths) {
  umask(077);
  stay_in_memory();
  close_inherited();
  own_stdio();
  if (chdir("/") < 0) exit_init(EXIT_USAGE);
  int children = watch_children();
  if (children < 0) exit_init(EXIT_USAGE);
  watch(CHILDREN, children, POLLIN);
  cgroup_open();
  oom_score_open();
  leftovers_baseline();
  mounts_open();
  ready_send();
  /* After the report, for which the host waits. No program has run yet, so all paths are the image's. */
  if (writer_flush() < 0) exit_init(EXIT_HOST_GONE);
  open_ahead(paths);
  for (;;) {
    /* Sources of frames that lack room in the queue are not polled here; POLLOUT wakes the loop when the host has read. */
    wait_for_something();
    struct signalfd_siginfo seen;
    while (read(children, &seen, sizeof seen) > 0) continue;
    run_tick();
    handle_host();
    if ((watched[PROGRAM_IN].revents & POLLERR) != 0) stdin_close();
    else stdin_pump();
    preload_feed();
    fetch_pump();
    reader_dispatch();
    run_pump();
    reset_kept();
    reader_dispatch();
    /* Last, because a frame may have requested something of a stream for which no event would wake the loop. */
    tunnel_pump(watched + WATCHED);
  }
}

int main(int argc, char **argv) {
  hide_self();
  if (argc == 3 && strcmp(argv[1], "install") == 0) return install_to(argv[2], EXECUTABLE);
  if (argc == 3 && strcmp(argv[1], "install-readable") == 0) return install_to(argv[2], READABLE);
  if (argc == 2 && strcmp(argv[1], "version") == 0) return printf("isopod-init %d\n", WIRE_VERSION) > 0 ? 0 : 1;
  /* Init kills every process that it can see, so it must run in its own PID namespace. */
  if ((argc == 1 || argv[1][0] == '/') && getpid() == 1) serve(argv + 1);
  dprintf(STDERR_FILENO, "usage: init [FILE...] (as PID 1 of a container; opens the files at its start), "
                         "init install TARGET, init install-readable TARGET, init version\n");
  return EXIT_USAGE;
}
