import os, socket, time

open_ones = []
for port in (3128, 4000, 8080):
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    one.bind(("127.0.0.1", port))
    one.listen()
    datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagrams.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    datagrams.bind(("127.0.0.1", port))
    open_ones += [one, datagrams]
named = socket.socket(socket.AF_UNIX)
named.bind("\0left-behind")
named.listen()
open_ones += [named]
if os.fork() == 0:
    os.setsid()
    time.sleep(1000)
