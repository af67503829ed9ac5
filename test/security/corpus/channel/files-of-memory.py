import os
import sys
import time

role, message, start = (sys.stdin.readline().split()[-1] for _ in range(3))
time.sleep(max(0, float(start) - time.time()))
places = ("/dev/shm", "/tmp", "/workspace", "/var/tmp", "/run", "/dev/mqueue", "/run/lock", "/dev", "/isopod", "/var/cache", "/proc/self/cwd")
if role == "sender":
    for place in places:
        try:
            with open(f"{place}/channel-{start}", "w") as file:
                file.write(message)
        except OSError:
            pass
    time.sleep(0.6)
else:
    time.sleep(0.3)
    for place in places:
        try:
            print("GOT", open(f"{place}/channel-{start}").read())
        except OSError:
            pass
