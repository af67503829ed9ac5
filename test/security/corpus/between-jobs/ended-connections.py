import socket

listener = socket.create_server(("127.0.0.1", 4000))
client = socket.create_connection(("127.0.0.1", 4000))
server, _ = listener.accept()
# The kernel keeps the port of the side that closes a connection first for a minute (TIME_WAIT).
server.close()
client.close()
