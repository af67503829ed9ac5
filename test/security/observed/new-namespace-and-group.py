import ctypes
import os
import time

USER, HOST_NAME = 0x10000000, 0x04000000
own = [line.rstrip().split(":", 2) for line in open("/proc/self/cgroup")]
folders = [f"/host-cgroup/{names}{path}/below" for _, names, path in own if names in ("pids", "")]
child = os.fork()
if child == 0:
    ctypes.CDLL(None).unshare(USER | HOST_NAME)
    time.sleep(0.8)
    os._exit(0)
for act in (os.mkdir, os.rmdir):
    for folder in folders:
        try:
            act(folder)
        except OSError:
            pass
    if act is os.mkdir:
        os.waitpid(child, 0)
