import os

# Their pages stay in memory when the program is gone, on its container's account.
read = 0
for at, _, files in os.walk("/usr/lib"):
    for name in files:
        path = os.path.join(at, name)
        if os.path.isfile(path) and not os.path.islink(path) and read < 100 << 20:
            with open(path, "rb") as file:
                read += len(file.read())
taken = bytearray(96 << 20)
for at in range(0, len(taken), 4096):
    taken[at] = 1
