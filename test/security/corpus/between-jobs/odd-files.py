import os, socket

for root in ("/workspace", "/tmp", "/dev/shm"):
    os.chdir(root)
    for name in (b"-rf", b"\n", b"\xff\xfe", b"a" * 255, b"..."):
        open(name, "w").write("left")
        os.chmod(name, 0)
    os.symlink("/", "root")
    os.symlink("loop", "loop")
    os.mkfifo("fifo")
    socket.socket(socket.AF_UNIX).bind("socket")
    os.mkdir("shut")
    open("shut/inside", "w").close()
    os.chmod("shut", 0)
    with open("sparse", "wb") as sparse:
        sparse.truncate(1 << 40)
    for depth in range(400):
        try:
            os.mkdir("d" * 100)
        except OSError:
            # AppArmor refuses operations on paths of more than 4096 bytes.
            break
        os.chdir("d" * 100)
        open("f", "w").close()
