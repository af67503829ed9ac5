import os
import sys

facts = [line.split(" ", 1) for line in sys.stdin.read().splitlines()]
marker = next(value for name, value in facts if name == "marker")
files = [value for name, value in facts if name == "file"]
prefixes = ["", "/proc/self/root", "/proc/1/root", "/proc/self/cwd" + "/.." * 20, "/host", "/mnt", "/proc/1/cwd", "/rootfs", "/.."]
for path in files:
    for prefix in prefixes:
        for mode in ("r", "a"):
            try:
                with open(prefix + path, mode) as file:
                    print("ESCAPED:", file.read() if mode == "r" else file.write(marker))
            except OSError:
                pass
        for folder in (os.path.dirname(path), os.path.dirname(os.path.dirname(path))):
            try:
                # Inside the container this file harms nothing; on the host an observer would find it by its name.
                with open(f"{prefix}{folder}/{marker}", "w") as file:
                    file.write(marker)
            except OSError:
                pass
