import os
import sys
import time

role, message, start = (sys.stdin.readline().split()[-1] for _ in range(3))
paths = ["/etc/passwd", "/etc/hosts", "/etc/resolv.conf", "/dev/null", "/dev/zero", "/usr/bin/env", "/isopod", "/isopod/init", "/etc", "/proc/version", "/sys", "/dev/shm", "/tmp"]


def stamps():
    return [(s.st_atime_ns, s.st_mtime_ns, s.st_nlink, s.st_size) for s in map(os.stat, paths)]


time.sleep(max(0, float(start) - time.time()))
before = stamps()
time.sleep(0.1)
if role == "sender":
    for path in paths:
        for act in (lambda: open(path, "rb").read(16), lambda: os.utime(path, (1, 1)), lambda: os.listdir(path), lambda: open(path, "ab").close()):
            try:
                act()
            except OSError:
                pass
time.sleep(0.4)
for path, one, two in zip(paths, before, stamps()):
    if role == "receiver" and one != two:
        print("GOT", path, one, two)
