import fcntl, os, struct

for root in ("/workspace", "/tmp", "/dev/shm"):
    descriptor = os.open(root, os.O_RDONLY)
    attempts = [
        lambda: os.setxattr(root, "user.left", b"behind"),
        lambda: os.setxattr(root, "trusted.left", b"behind"),
        # An access control list that admits user 1.
        lambda: os.setxattr(root, "system.posix_acl_access", struct.pack("<I", 2) + b"".join(
            struct.pack("<HHI", *entry) for entry in
            [(1, 7, 0xFFFFFFFF), (2, 7, 1), (4, 0, 0xFFFFFFFF), (16, 7, 0xFFFFFFFF), (32, 0, 0xFFFFFFFF)])),
        lambda: os.setxattr(root, "system.posix_acl_default", struct.pack("<I", 2) + b"".join(
            struct.pack("<HHI", *entry) for entry in
            [(1, 0, 0xFFFFFFFF), (4, 0, 0xFFFFFFFF), (32, 0, 0xFFFFFFFF)])),
        # The flags nodump and noatime together, then append-only, then immutable.
        lambda: fcntl.ioctl(descriptor, 0x40086602, struct.pack("q", 0x40 | 0x80)),
        lambda: fcntl.ioctl(descriptor, 0x40086602, struct.pack("q", 0x20)),
        lambda: fcntl.ioctl(descriptor, 0x40086602, struct.pack("q", 0x10)),
        # Hints how long written data will live: F_SET_RW_HINT, F_SET_FILE_RW_HINT.
        lambda: fcntl.fcntl(descriptor, 1036, struct.pack("Q", 5)),
        lambda: fcntl.fcntl(descriptor, 1038, struct.pack("Q", 5)),
        lambda: os.utime(root, (1, 2)),
        lambda: os.chmod(root, 0o3000),
    ]
    for attempt in attempts:
        try:
            attempt()
        except OSError:
            pass
