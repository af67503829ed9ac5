import ctypes
import os
import signal

libc = ctypes.CDLL(None, use_errno=True)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGRTMIN})
sent = 0
while sent < 1_000_000 and libc.sigqueue(os.getpid(), int(signal.SIGRTMIN), ctypes.c_void_p(1)) == 0:
    sent += 1
raise SystemExit(0 if sent < 1_000_000 else 1)
