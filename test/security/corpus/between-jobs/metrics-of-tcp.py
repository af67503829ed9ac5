import os, socket, struct, time

# The kernel keeps the round-trip time of each address, and sets the first timeout of the next connection by it.
RESET = struct.pack("ii", 1, 0)
NO_DELAY, QUICK_ACK = (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1), (socket.IPPROTO_TCP, socket.TCP_QUICKACK, 0)


def connected(listener, port):
    out = socket.socket()
    out.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    out.setsockopt(*NO_DELAY)
    out.bind((f"127.0.1.{port - 5000}", port))
    out.connect(listener.getsockname())
    return out, listener.accept()[0]


def leave(bit):
    with socket.create_server((f"127.0.2.{bit}", 0)) as listener:
        out, into = connected(listener, 5000 + bit)
        for _ in range(40):
            into.setsockopt(*QUICK_ACK)
            out.send(b"x")
            into.recv(1)
            time.sleep(0.06)
        into.close()
        time.sleep(0.001)
        out.close()
        # An ended connection keeps its port, and init would give up the container. A reset of a second one frees the port.
        time.sleep(0.05)
        for end in connected(listener, 5000 + bit):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            end.close()


for bit in (0, 2, 5, 7):
    if os.fork() == 0:
        leave(bit)
        os._exit(0)
while True:
    try:
        os.wait()
    except ChildProcessError:
        break
