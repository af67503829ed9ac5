import os

mode = os.stat("/isopod/init").st_mode
os.chmod("/isopod/init", mode ^ 0o020)
