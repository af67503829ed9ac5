import os
import struct

for stream in (0, 1, 2, 3, 255):
    for length in (0, 1, 8, 1 << 16, 0xFFFFFFFF):
        os.write(1, struct.pack(">BxxxI", stream, length) + b"\x86\x02\0\0\0{}")
        os.write(2, struct.pack(">BxxxI", stream, length))
raise SystemExit(34)
