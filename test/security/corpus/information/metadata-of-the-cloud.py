import socket

for host, port in (("169.254.169.254", 80), ("fd00:ec2::254", 80), ("169.254.170.2", 80), ("100.100.100.200", 80), ("metadata.google.internal", 80), ("host.docker.internal", 80), ("10.96.0.1", 443)):
    try:
        socket.create_connection((host, port), timeout=0.5).close()
        print("ESCAPED: reached", host)
    except OSError:
        pass
