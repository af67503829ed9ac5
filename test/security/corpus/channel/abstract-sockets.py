import socket
import sys
import time

role, message, start = (sys.stdin.readline().split()[-1] for _ in range(3))
time.sleep(max(0, float(start) - time.time()))
with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as end:
    end.settimeout(0.8)
    try:
        if role == "receiver":
            end.bind(f"\0channel-{start}")
            print("GOT", end.recv(64).decode())
        else:
            time.sleep(0.3)
            end.sendto(message.encode(), f"\0channel-{start}")
    except OSError:
        pass
