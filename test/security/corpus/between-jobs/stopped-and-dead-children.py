import ctypes, os, signal, time

for _ in range(5):
    child = os.fork()
    if child == 0:
        os.setsid()
        for _ in range(3):
            if os.fork() == 0:
                os._exit(0)
        time.sleep(0.1)
        os.kill(os.getpid(), signal.SIGSTOP)
# vfork makes this process wait for its child in a state that only SIGKILL or the child's end interrupts.
if os.fork() == 0:
    if ctypes.CDLL(None).vfork() == 0:
        os.kill(os.getpid(), signal.SIGSTOP)
        os._exit(0)
time.sleep(0.3)
