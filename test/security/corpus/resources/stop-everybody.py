import os
import signal

for _ in range(5):
    if os.fork() == 0:
        break
try:
    os.kill(-1, signal.SIGSTOP)
except OSError:
    pass
os.kill(os.getpid(), signal.SIGSTOP)
