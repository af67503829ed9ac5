for root in ("/workspace", "/tmp", "/dev/shm"):
    try:
        with open(f"{root}/full", "wb") as file:
            while True:
                file.write(b"x" * 65536)
    except OSError:
        pass
    try:
        for number in range(1_000_000):
            open(f"{root}/{number}", "w").close()
    except OSError:
        pass
