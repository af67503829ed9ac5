import os
import time

with open("/planted", "wb") as file:
    file.write(b"x" * 8_000_000)
    os.fsync(file.fileno())
time.sleep(0.6)
