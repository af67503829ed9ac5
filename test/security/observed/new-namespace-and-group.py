import ctypes
import os
import time

ctypes.CDLL(None).unshare(0x04000000)
for folder in ("/sys/fs/cgroup/pids/below", "/sys/fs/cgroup/below"):
    try:
        os.mkdir(folder)
    except OSError:
        pass
if os.fork() == 0:
    time.sleep(0.8)
    os._exit(0)
time.sleep(0.8)
for folder in ("/sys/fs/cgroup/pids/below", "/sys/fs/cgroup/below"):
    try:
        os.rmdir(folder)
    except OSError:
        pass
