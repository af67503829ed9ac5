import socket
import sys
import time

role, message, start = (sys.stdin.readline().split()[-1] for _ in range(3))
time.sleep(max(0, float(start) - time.time()))
port = 30000 + int(float(start)) % 20000
try:
    with socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM) as end:
        end.settimeout(0.8)
        if role == "receiver":
            end.bind((socket.VMADDR_CID_ANY, port))
            end.listen()
            print("GOT", end.accept()[0].recv(64).decode())
        else:
            time.sleep(0.3)
            for cid in (1, 2, 3):
                end.connect((cid, port))
                end.sendall(message.encode())
except OSError:
    pass
