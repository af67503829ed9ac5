import glob
import socket
import sys

facts = [line.split(" ", 1) for line in sys.stdin.read().splitlines()]
marker = next(value for name, value in facts if name == "marker")
paths = {value for name, value in facts if name == "socket"}
paths |= {"/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock", "/run/crio/crio.sock"}
paths |= set(glob.glob("/run/**/*.sock", recursive=True)) | set(glob.glob("/tmp/**/*.sock", recursive=True))
body = f'{{"Name":"{marker}"}}'
post = f"POST /volumes/create HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}"
for path in paths:
    for text in (post, f"SET {marker} planted\r\nQUIT\r\n"):
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(2)
            try:
                client.connect(path)
                client.sendall(text.encode())
                print("ESCAPED: spoke to", path, client.recv(100))
            except OSError:
                pass
