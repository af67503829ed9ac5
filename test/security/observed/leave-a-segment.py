import ctypes
import sys

know = [line.split(" ", 1) for line in sys.stdin.read().splitlines()]
key = next(int(value) for name, value in know if name == "key")
ctypes.CDLL(None).semget(key, 1, 0o1666)
