import os, sys, time

# Whoever still has the streams of this program must not reach those of the next.
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
