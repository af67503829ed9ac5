def _preload():
    import os, sys
    control, names, forks = {control}, {modules}, {forks}
    sites = os.path.dirname(__file__)
    sys.path.remove(sites)
    sys.path_importer_cache.pop(sites, None)
    # As where there is no such file: every finder has looked for it.
    for finder in sys.meta_path:
        finder.find_spec('usercustomize', None)
    before = set(sys.modules)
    for name in names:
        __import__(name)
    preloaded = set(sys.modules)
    roots = {name.partition('.')[0] for name in preloaded - before}

    def freeze():
        # What was there before the program is nothing to collect: to look at it all once more takes most of an
        # interpreter's end, and in a fork a copy of each of its pages.
        known = 'gc' in sys.modules
        import gc
        gc.freeze()
        if not known:
            del sys.modules['gc']

    def become_fork():
        paths = set(sys.path_importer_cache)
        import _socket, ctypes
        prctl = ctypes.CDLL(None).prctl
        for name in set(sys.modules) - preloaded:
            del sys.modules[name]
        for path in set(sys.path_importer_cache) - paths:
            del sys.path_importer_cache[path]
        # Out of the reach of its forks, which have its user: no memory, no descriptors.
        prctl(4, 0, 0, 0, 0)
        asked = _socket.socket(fileno=control)
        # Its own pipes were only to look like a run's; kept, they could carry words from one fork to the next.
        null = os.open('/dev/null', os.O_RDWR)
        for number in range(3):
            os.dup2(null, number)
        os.close(null)
        freeze()
        os.write(control, b'w')
        while True:
            message, ancillary, _, _ = asked.recvmsg(1, _socket.CMSG_SPACE(16))
            if not message or not ancillary:
                os._exit(0)
            data = ancillary[0][2]
            fds = [int.from_bytes(data[at:at + 4], sys.byteorder) for at in range(0, 16, 4)]
            # Twice, so that its parent is the first process.
            middle = os.fork()
            if middle == 0:
                try:
                    if os.fork() != 0:
                        os._exit(0)
                except BaseException:
                    os._exit(1)
                break
            os.waitpid(middle, 0)
            for fd in fds:
                os.close(fd)
        asked.close()
        for number in range(3):
            os.dup2(fds[number], number)
            os.close(fds[number])
        os.setsid()
        while os.getppid() != 1:
            os.sched_yield()
        prctl(4, 1, 0, 0, 0)
        prctl(1, 9, 0, 0, 0)
        score = os.open('/proc/self/oom_score_adj', os.O_WRONLY)
        os.write(score, b'1000')
        os.close(score)
        if 'numpy.random.mtrand' in sys.modules:
            sys.modules['numpy.random.mtrand'].seed()
        return fds[3]

    if forks:
        # Whoever fails here must not go on to the program: it is spared when everybody else is killed.
        try:
            control = become_fork()
        except BaseException:
            os._exit(1)
    else:
        freeze()
    os.write(control, b'w')
    word = os.read(control, 32)
    if not word:
        os._exit(1)
    os.close(control)
    if len(word) > 1:
        there = set(sys.modules)
        from resource import RLIMIT_CPU, setrlimit
        seconds = int(word[1:])
        setrlimit(RLIMIT_CPU, (seconds, seconds + 1))
        if 'resource' not in there:
            del sys.modules['resource']
    # A file of the program's own comes first in a plain start.
    if not roots.isdisjoint(name.partition('.')[0] for name in os.listdir()):
        os.execv(sys.executable, sys.orig_argv)


_preload()
raise ImportError(name='usercustomize')
