import array
import socket

pairs = []
sent = 0
try:
    while sent < 1_000_000:
        left, right = socket.socketpair()
        left.setblocking(False)
        pairs.append((left, right))
        for _ in range(50):
            left.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * 250))])
            sent += 250
except OSError:
    pass
raise SystemExit(0 if sent < 1_000_000 else 1)
