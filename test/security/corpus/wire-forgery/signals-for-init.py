import ctypes
import os
import threading
import time

libc = ctypes.CDLL(None, use_errno=True)
# An emulated processor cannot send all of them before the timeout.
until = time.monotonic() + 8


def storm():
    for _ in range(500):
        for number in range(1, 65):
            libc.kill(1, number)
            libc.syscall(200, 1, number)
            libc.syscall(234, 1, 1, number)
        libc.kill(-1, 17)
        libc.kill(0, 17)
        if time.monotonic() > until:
            break


threads = [threading.Thread(target=storm) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
os._exit(40)
