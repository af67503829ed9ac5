import ctypes
import os
import struct
import threading
import time

NO_NEW_PRIVILEGES, SET_SECCOMP, FILTER = 38, 22, 2
LOAD, SKIP_UNLESS_EQUAL, RETURN = 0x20, 0x15, 0x06
END_THREAD, ALLOW = 0, 0x7FFF0000
GETPPID = 110


def live_on():
    time.sleep(0.6)
    os._exit(0)


if os.fork() == 0:
    rules = [(LOAD, 0, 0, 0), (SKIP_UNLESS_EQUAL, 0, 1, GETPPID), (RETURN, 0, 0, END_THREAD), (RETURN, 0, 0, ALLOW)]
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *rule) for rule in rules))
    libc = ctypes.CDLL(None)
    # Another thread keeps the process in /proc after its first thread has ended, so that the observer sees it.
    threading.Thread(target=live_on).start()
    libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    libc.prctl(SET_SECCOMP, FILTER, struct.pack("HxxxxxxQ", len(rules), ctypes.addressof(program)), 0, 0)
    libc.getppid()
    os._exit(1)
os.wait()
