import array, os, socket

def send(through, *carried):
    rights = array.array("i", [one if isinstance(one, int) else one.fileno() for one in carried])
    through.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])

# A message that contains its own receiving socket: no process can receive it, or the descriptors in it.
left, right = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
memory = os.memfd_create("left")
os.write(memory, b"x" * (48 << 20))
file = os.open("/tmp/held", os.O_CREAT | os.O_RDWR)
os.write(file, b"x" * (8 << 20))
os.unlink("/tmp/held")
listener = socket.create_server(("127.0.0.1", 4000))
datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
datagrams.bind(("127.0.0.1", 8080))
named = socket.socket(socket.AF_UNIX)
named.bind("\0left-behind")
for one in (memory, file, listener, datagrams, named, 1, 2, right, left):
    send(left, one)
