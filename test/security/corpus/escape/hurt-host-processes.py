import os
import resource
import signal
import sys

facts = [line.split(" ", 1) for line in sys.stdin.read().splitlines()]
for pid in [int(value) for name, value in facts if name in ("victim", "worker")]:
    tries = (
        lambda: os.kill(pid, signal.SIGKILL),
        lambda: os.setpriority(os.PRIO_PROCESS, pid, 19),
        lambda: resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, 3)),
        lambda: os.sched_setaffinity(pid, {0}),
        lambda: os.write(os.open(f"/proc/{pid}/oom_score_adj", os.O_WRONLY), b"1000"),
        lambda: os.pidfd_open(pid),
    )
    for number, attempt in enumerate(tries):
        try:
            attempt()
            print("ESCAPED: did", number, "to process", pid)
        except OSError:
            pass
