import os

for _ in range(200):
    os.write(os.memfd_create("more"), b"x" * (16 << 20))
