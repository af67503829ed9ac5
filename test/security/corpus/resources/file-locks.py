import fcntl

with open("/workspace/locked", "wb") as file:
    file.truncate(10_000_000)
    try:
        for at in range(0, 4_000_000, 2):
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, at)
    except OSError:
        pass
