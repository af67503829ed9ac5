import os
import resource

for pid in (1, os.getppid()):
    for what in range(16):
        try:
            resource.prlimit(pid, what, (0, 0))
            print("ESCAPED: limited", pid, what)
        except (OSError, ValueError):
            pass
    tries = (
        lambda: os.setpriority(os.PRIO_PROCESS, pid, 19),
        lambda: os.sched_setaffinity(pid, {0}),
        lambda: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0)),
        lambda: os.write(os.open(f"/proc/{pid}/timerslack_ns", os.O_WRONLY), b"999999999"),
        lambda: os.write(os.open(f"/proc/{pid}/oom_score_adj", os.O_WRONLY), b"1000"),
        lambda: os.setpriority(os.PRIO_PGRP, 1, 19),
        lambda: os.setpriority(os.PRIO_USER, os.getuid(), 19),
    )
    for attempt in tries:
        try:
            attempt()
            print("ESCAPED: changed", pid)
        except OSError:
            pass
raise SystemExit(39)
