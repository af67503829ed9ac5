#include "run/done.h"

#include <stddef.h>
#include <sys/wait.h>

#include "common/util.h"
#include "frames/json.h"
#include "frames/wire.h"

static const char *const LIMITS[] = {
    [CAUSE_EXIT] = NULL,       [CAUSE_TIMEOUT] = "timeout", [CAUSE_CPU] = "cpu",
    [CAUSE_OUTPUT] = "output", [CAUSE_MEMORY] = "memory",   [CAUSE_KILL] = NULL,
};

void done_send(const struct done *done) {
  const struct usage *usage = &done->usage;
  json_begin();
  json_number("exitCode", WIFEXITED(done->status) ? WEXITSTATUS(done->status) : UNKNOWN);
  json_number("signal", WIFSIGNALED(done->status) ? WTERMSIG(done->status) : UNKNOWN);
  json_ms("wallMs", done->wall_us);
  json_ms("cpuUserMs", usage->cpu_user_us);
  json_ms("cpuSysMs", usage->cpu_sys_us);
  json_number("maxRssBytes", usage->max_rss_bytes);
  json_number("memoryStartBytes", usage->memory_start_bytes);
  json_number("memoryPeakBytes", usage->memory_peak_bytes);
  json_number("oomKills", usage->oom_kills);
  json_number("processesPeak", usage->processes_peak);
  json_number("forkFailures", usage->fork_failures);
  json_ms("throttledMs", usage->throttled_us);
  json_number("stdoutBytes", (int64_t)done->total[0]);
  json_number("stderrBytes", (int64_t)done->total[1]);
  json_flag("stdoutTruncated", done->truncated[0]);
  json_flag("stderrTruncated", done->truncated[1]);
  json_word("limit", LIMITS[done->cause]);
  json_flag("killed", done->cause == CAUSE_KILL);
  json_word("spawnError", done->spawn_error != 0 ? error_name(done->spawn_error) : NULL);
  json_send(FRAME_DONE);
}
