import os

opened = 0
for _ in range(200):
    try:
        os.openpty()
        opened += 1
    except OSError:
        break
# The whole host has one pool of pseudo terminals, so a program may not open even one.
raise SystemExit(0 if opened == 0 else 1)
