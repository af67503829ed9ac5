import os

allowed = ("/proc", "/workspace", "/tmp", "/dev", "/sys")
for line in open("/proc/self/mountinfo"):
    fields = line.split()
    point, options = fields[4], fields[5].split(",")
    if "rw" in options and not point.startswith(allowed) and os.access(point, os.W_OK):
        print("ESCAPED: may write", point)
for point in ("/etc/hosts", "/etc/hostname", "/etc/resolv.conf"):
    try:
        open(point, "a").close()
        print("ESCAPED: may write", point)
    except OSError:
        pass
