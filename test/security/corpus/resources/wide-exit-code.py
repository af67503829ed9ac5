import os

os._exit(0x100 + 3)
