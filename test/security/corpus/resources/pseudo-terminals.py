import os

opened = 0
for _ in range(200):
    try:
        os.openpty()
        opened += 1
    except OSError:
        break
# One pool for the whole host: the first one is one too many.
raise SystemExit(0 if opened == 0 else 1)
