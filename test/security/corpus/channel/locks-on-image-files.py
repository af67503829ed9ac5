import fcntl
import glob
import os
import sys
import time

role, message, start = (sys.stdin.readline().split()[-1] for _ in range(3))
bits = f"{int(message, 16):064b}"
# Files that every container of this image has, one per bit.
files = sorted(path for path in glob.glob("/usr/lib/python3.13/*.py") if not os.path.islink(path))[:64]
kept = [open(path, "rb") for path in files]
time.sleep(max(0, float(start) - time.time()))
if role == "sender":
    for file, bit in zip(kept, bits):
        if bit == "1":
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    time.sleep(0.6)
else:
    time.sleep(0.3)
    found = ""
    for file in kept:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            found += "0"
        except OSError:
            found += "1"
    print("GOT", f"{int(found, 2):016x} by locks")
