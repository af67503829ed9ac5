def _preload():
    import os, sys
    control, names, forks = {control}, {modules}, {forks}
    sites = os.path.dirname(__file__)
    sys.path.remove(sites)
    sys.path_importer_cache.pop(sites, None)
    # As in a plain start, every finder has searched for the hook's module.
    for finder in sys.meta_path:
        finder.find_spec('usercustomize', None)
    before = set(sys.modules)
    for name in names:
        __import__(name)
    preloaded = set(sys.modules)
    roots = {name.partition('.')[0] for name in preloaded - before}

    def freeze():
        # Objects from before the program need no collection: visiting them takes most of the interpreter's exit, and in
        # a fork copies all of their pages.
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
        # Not dumpable: its forks run as the same user and must not reach its memory or descriptors.
        prctl(4, 0, 0, 0, 0)
        asked = _socket.socket(fileno=control)
        # Closes the pipes of its start: forks could pass messages to each other through them.
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
            # Forks twice, so that the program's parent is init.
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
        # After a failure it must not run the program: the zygote is spared when processes are killed.
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
    # In a plain start, files of the program take precedence over modules of the same name.
    if not roots.isdisjoint(name.partition('.')[0] for name in os.listdir()):
        os.execv(sys.executable, sys.orig_argv)


_preload()
raise ImportError(name='usercustomize')
