import array
import ctypes
import errno
import fcntl
import os
import socket
import sys
import time

role, message, start = (sys.stdin.readline().split()[-1] for _ in range(3))
libc = ctypes.CDLL(None, use_errno=True)
SIZE = 1032
kept = []
time.sleep(max(0, float(start) - time.time()))


def take_everything():
    while (fd := libc.inotify_init1(0)) >= 0:
        kept.append(fd)
    if ctypes.get_errno() == errno.EMFILE:
        # EMFILE can also mean the limit of open files, so free some descriptors for the other resources.
        for fd in kept[-100:]:
            os.close(fd)
        del kept[-100:]
    for _ in range(40):
        try:
            ends = os.pipe()
            fcntl.fcntl(ends[0], 1031, 1 << 20)
            kept.extend(ends)
        except OSError:
            break
    left, right = socket.socketpair()
    left.setblocking(False)
    kept.extend((left, right))
    try:
        while True:
            left.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * 250))])
    except OSError:
        pass


if role == "sender":
    take_everything()
    time.sleep(0.8)
else:
    time.sleep(0.5)
    if libc.inotify_init1(0) < 0:
        print("GOT the sender's inotify instances")
    ends = os.pipe()
    if fcntl.fcntl(ends[0], SIZE) < 65536:
        print("GOT the sender's pipes")
    left, right = socket.socketpair()
    left.setblocking(False)
    try:
        left.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * 200))])
    except OSError as error:
        print("GOT the sender's messages", error)
