import os, sys, time

# A process that still holds the streams of this program must not write to those of the next one.
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            while True:
                try:
                    os.write(1, b"")
                    os.write(2, b"")
                except OSError:
                    pass
        os._exit(0)
print("x" * 200_000)
sys.stdout.flush()
os.close(0)
os.close(1)
os.close(2)
time.sleep(0.1)
