import socket
import sys

facts = [line.split() for line in sys.stdin.read().splitlines()]
marker = next(fact[1] for fact in facts if fact[0] == "marker")
for fact in facts:
    if fact[0] == "tcp":
        try:
            with socket.create_connection((fact[1], int(fact[2])), timeout=0.5):
                print("ESCAPED: connected to", *fact[1:])
        except OSError:
            pass
    elif fact[0] == "udp":
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            try:
                client.sendto(marker.encode(), (fact[1], int(fact[2])))
                # To the container's own loopback a datagram is lost; the server on the host notices one that arrives.
            except OSError:
                pass
    elif fact[0] in ("socket", "abstract"):
        with socket.socket(socket.AF_UNIX) as client:
            try:
                client.connect(("\0" if fact[0] == "abstract" else "") + fact[1])
                print("ESCAPED: connected to", fact[1])
            except OSError:
                pass
