import ctypes
import sys

marker = sys.stdin.readline().split()[1]
for path in ("/dev/kmsg", "/proc/kmsg", "/proc/1/root/dev/kmsg", "/dev/console", "/dev/tty0", "/dev/ttyS0"):
    try:
        with open(path, "w") as log:
            log.write(f"{marker}\n")
            print("ESCAPED: wrote", path)
    except OSError:
        pass
buffer = ctypes.create_string_buffer(4096)
got = ctypes.CDLL(None).klogctl(3, buffer, 4096)
if got > 0:
    print("ESCAPED: read the kernel's log", buffer.raw[:got][-200:])
