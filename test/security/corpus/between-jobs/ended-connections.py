import socket

listener = socket.create_server(("127.0.0.1", 4000))
client = socket.create_connection(("127.0.0.1", 4000))
server, _ = listener.accept()
# The side that ends a connection first keeps its port for a minute.
server.close()
client.close()
