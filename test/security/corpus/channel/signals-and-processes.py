import os
import signal
import sys
import time

role, message, start = (sys.stdin.readline().split()[-1] for _ in range(3))
bits = f"{int(message, 16):064b}"
got = []
for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGRTMIN):
    signal.signal(number, lambda which, _: got.append(which))
time.sleep(max(0, float(start) - time.time()))
if role == "sender":
    # Sends the message as a process name, which the receiver may read, and a signal to every possible process id.
    with open("/proc/self/comm", "w") as name:
        name.write(message[:15])
    for pid in range(2, 33_000):
        if pid != os.getpid():
            try:
                os.kill(pid, signal.SIGUSR1)
            except OSError:
                pass
    time.sleep(0.5)
else:
    time.sleep(0.4)
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if pid not in ("1", str(os.getpid())):
            print("GOT", open(f"/proc/{pid}/comm").read())
    if got:
        print("GOT signals", got)
