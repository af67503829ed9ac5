import os

# The pages of these files stay in memory after the program's end, and count for its container.
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
