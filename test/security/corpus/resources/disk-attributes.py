import os

for number in range(20_000):
    path = f"/workspace/{number}"
    try:
        open(path, "w").close()
        for turn in range(64):
            os.setxattr(path, f"user.a{turn}", b"x" * 60_000)
    except OSError as error:
        if number > 1000 or error.errno == 28:
            break
