import socket
import struct

try:
    netlink = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
except OSError:
    raise SystemExit(0)
netlink.settimeout(1)
name = struct.pack("<HH8s", 12, 3, b"planted")
info = struct.pack("<HH8s", 12, 1, b"dummy\0")
link = struct.pack("<HH", 4 + len(info), 18) + info
for kind, body in ((16, struct.pack("<BxHiII", 0, 0, 0, 0, 0) + name + link), (16, struct.pack("<BxHiII", 0, 0, 1, 0, 1))):
    netlink.send(struct.pack("<IHHII", 16 + len(body), kind, 0x405 if kind == 16 else 5, 1, 0) + body)
    answer = netlink.recv(4096)
    if struct.unpack_from("<i", answer, 16)[0] == 0 and struct.unpack_from("<H", answer, 4)[0] == 2:
        print("ESCAPED: netlink accepted", kind)
names = {name for _, name in socket.if_nameindex()}
if names - {"lo", "tunl0", "sit0", "ip6tnl0"}:
    print("ESCAPED: interfaces", names)
