#define _GNU_SOURCE
#include "run/run.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/util.h"
#include "files/fetch.h"
#include "frames/fault.h"
#include "frames/frame_writer.h"
#include "frames/json.h"
#include "frames/wire.h"
#include "network/tunnel.h"
#include "process/pacing.h"
#include "process/process.h"
#include "process/spawn.h"
#include "process/streams.h"
#include "resources/uncounted.h"
#include "resources/usage.h"
#include "run/done.h"
#include "run/preload.h"

#define SAMPLE_US 100000
#define MIN_TICK_US 2000

static enum run_state state = RUN_IDLE;
static int64_t started_us, deadline_us, next_sample_us, next_tick_us, cpu_limit_us;
static struct process_limits held;
static int kill_on_overflow;
static struct done done;

enum run_state run_state(void) {
  return state;
}

void run_refuse(int error) {
  struct done refused = {.status = 127 << 8, .usage = USAGE_UNKNOWN, .spawn_error = error};
  done_send(&refused);
}

/* Returns the result of `spawn`. */
static int start(const struct exec_request *request) {
  const uint32_t limits[2] = {request->stdout_limit, request->stderr_limit};
  int preloaded = (request->flags & EXEC_PRELOADED) != 0;
  int error = preloaded ? 0 : spawn(request, -1, &reaped.main_pid, &held);
  streams_begin(limits, (request->flags & EXEC_STDIN_FOLLOWS) != 0);
  pacing_begin((request->flags & EXEC_PACED) != 0);
  return preloaded ? preload_go(request, &held) : error;
}

void run_start(const struct exec_request *request) {
  if ((request->flags & EXEC_NET) != 0 && tunnel_open() < 0) {
    fault("net", errno);
    return;
  }
  int preloaded = (request->flags & EXEC_PRELOADED) != 0, error = 0;
  if (!preloaded) preload_drop();
  else error = preload_await(request);
  reap_reset();
  usage_start();
  uncounted_begin();
  started_us = now_us();
  if (error == 0) error = start(request);
  if (error != 0) {
    preload_drop();
    if (kill_everyone() < 0) fatal("init", ETIMEDOUT);
    streams_close();
    tunnel_close();
    /* If a preloaded process has ended, the program is not at fault. */
    if (preloaded) fault("exec", error);
    else if (error < 0) fault("confine", -error);
    else run_refuse(error);
    return;
  }
  memset(&done, 0, sizeof done);
  deadline_us = started_us + (int64_t)request->wall_ms * 1000;
  cpu_limit_us = (int64_t)request->cpu_ms * 1000;
  next_sample_us = next_tick_us = started_us + SAMPLE_US;
  kill_on_overflow = (request->flags & EXEC_KILL_ON_OVERFLOW) != 0;
  state = RUN_ACTIVE;
  json_begin();
  json_number("pid", reaped.main_pid);
  json_ms("wallMs", deadline_us - started_us);
  json_ms("cpuMs", cpu_limit_us);
  json_number("stdoutLimit", (int64_t)outputs[0].limit);
  json_number("stderrLimit", (int64_t)outputs[1].limit);
  json_numbers("limits", held.count, held.value);
  json_send(FRAME_STARTED);
  /* The host does nothing with it until the program prints or ends. */
  writer_hold();
}

void run_end(enum cause cause) {
  if (state != RUN_ACTIVE) return;
  done.cause = cause;
  done.wall_us = now_us() - started_us;
  /* Also after a normal exit, because background processes end with the program. */
  if (kill_everyone() < 0) fatal("init", ETIMEDOUT);
  done.status = reaped.main_status;
  done.usage = usage_stop();
  stdin_close();
  tunnel_close();
  state = RUN_DRAINING;
}

static void sample(int64_t now) {
  struct usage usage = usage_sample();
  next_sample_us = now + SAMPLE_US;
  /* Skipped if the host does not keep up with reading. */
  if (writer_pending() >= WRITER_FULL) return;
  json_begin();
  json_ms("wallMs", now - started_us);
  json_ms("cpuMs", usage.cpu_us);
  json_number("memoryBytes", usage.memory_bytes);
  json_number("processes", usage.processes);
  json_send(FRAME_SAMPLE);
}

/*
 * The time of the next check: the earliest at which a program on all processors could reach the CPU limit, at least MIN_TICK_US
 * from now, and no later than the next sample.
 */
static int64_t next_check(int64_t now, int64_t cpu_left) {
  if (cpu_limit_us == 0) return next_sample_us;
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  int64_t wait = cpu_left / (processors > 0 ? processors : 1);
  if (wait < MIN_TICK_US) wait = MIN_TICK_US;
  return now + wait < next_sample_us ? now + wait : next_sample_us;
}

void run_tick(void) {
  /* Reaps before it reads the clock, so that a program which ended in time does not count as late. */
  reap_pending();
  if (state != RUN_ACTIVE) return;
  int64_t now = now_us();
  if (reaped.main_ended) run_end(CAUSE_EXIT);
  else if (now >= deadline_us) run_end(CAUSE_TIMEOUT);
  else if (now >= next_tick_us) {
    int64_t cpu_left = cpu_limit_us > 0 ? cpu_limit_us - usage_cpu_us() : 0;
    if (cpu_limit_us > 0 && cpu_left <= 0) {
      run_end(CAUSE_CPU);
      return;
    }
    if (uncounted_excess(now)) {
      run_end(CAUSE_MEMORY);
      return;
    }
    if (now >= next_sample_us) sample(now);
    next_tick_us = next_check(now, cpu_left);
    if (uncounted_next_us() < next_tick_us) next_tick_us = uncounted_next_us();
  }
}

static void watch_overflow(void) {
  for (int i = 0; i < 2 && kill_on_overflow; i++) {
    if (outputs[i].total > outputs[i].limit) run_end(CAUSE_OUTPUT);
  }
}

void run_pump(void) {
  if (state == RUN_IDLE) return;
  int more = 0;
  for (int i = 0; i < 2; i++) more |= output_pump(&outputs[i]);
  if (state == RUN_ACTIVE) {
    watch_overflow();
    return;
  }
  /*
   * All writers have ended, so an empty pipe stays empty. EOF is not waited for: a descriptor of the pipe can survive for a
   * while in an unread message.
   */
  while (more) {
    more = 0;
    for (int i = 0; i < 2; i++) more |= output_pump(&outputs[i]);
  }
  for (int i = 0; i < 2; i++) {
    if (outputs[i].fd >= 0 && !output_wanted(&outputs[i])) return;
  }
  if (writer_pending() >= WRITER_FULL) return;
  for (int i = 0; i < 2; i++) {
    done.total[i] = outputs[i].total;
    done.truncated[i] = outputs[i].total > outputs[i].limit;
    /* Applies even if the program exited first; otherwise the status would depend on timing. */
    if (kill_on_overflow && done.truncated[i] && done.cause == CAUSE_EXIT) done.cause = CAUSE_OUTPUT;
  }
  streams_close();
  state = RUN_IDLE;
  done_send(&done);
  fetch_kept();
}

int64_t run_next_us(void) {
  /* With room in the queue the rest can be sent at once; without, the host has to read first. */
  if (state == RUN_DRAINING && writer_pending() < WRITER_FULL) return 0;
  if (state != RUN_ACTIVE) return -1;
  return next_tick_us < deadline_us ? next_tick_us : deadline_us;
}
