import re
import socket
import sys

facts = [line.split(" ", 1) for line in sys.stdin.read().splitlines()]
names = {value for name, value in facts if name == "abstract"}
names |= set(re.findall(r" @(\S+)$", open("/proc/net/unix").read(), re.MULTILINE))
names |= {"/containerd-shim/moby/shim.sock", "containerd-shim/default/shim.sock", "/tmp/.X11-unix/X0"}
for name in names:
    for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET, socket.SOCK_DGRAM):
        with socket.socket(socket.AF_UNIX, kind) as client:
            try:
                client.connect("\0" + name)
                print("ESCAPED: connected to", name)
            except OSError:
                pass
