import time

time.sleep(0.6)
