def _preload():
    import os, sys
    control, names, forks, library = {control}, {modules}, {forks}, {library}
    sites = os.path.dirname(__file__)
    sys.path.remove(sites)
    sys.path_importer_cache.pop(sites, None)
    # As in a plain start, every finder has searched for the hook's module.
    for finder in sys.meta_path:
        finder.find_spec('usercustomize', None)

    def compiled_apart(text):
        """Compiles in a process of its own. Each fork would copy what the compiler leaves in memory, several MB."""
        import marshal
        source, sink = os.pipe()
        compiler = os.fork()
        if compiler == 0:
            try:
                os.close(source)
                with open(sink, 'wb') as file:
                    marshal.dump(compile(text, '<string>', 'exec', 0, True), file)
            finally:
                os._exit(0)
        os.close(sink)
        with open(source, 'rb') as file:
            program = marshal.load(file)
        os.waitpid(compiler, 0)
        return program

    before, module = set(sys.modules), None
    for name in names:
        __import__(name)
    if library:
        # The main file takes it; only one that knows its name can.
        module = sys.modules['isopod library'] = type(sys)('isopod library')
        exec(compiled_apart(library) if forks else library, vars(module))
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

    def fill_gaps():
        """Fills free memory between objects. A fork would place its own there, and copy a page for almost each of them."""
        taken = []
        for size in (1 << 16, 1 << 15, 1 << 14, 1 << 13, *range(4096, 768, -256), *range(768, 32, -16)):
            last = 0
            for _ in range((1 << 18) // size):
                # An object of bytes takes 33 more than it holds.
                at = id(block := bytes(size - 33))
                # Python takes up to 512 bytes from a pool of blocks, whose first one follows a head of 48 bytes; more than that
                # comes from the C library, with 16 bytes between neighbours.
                fills_no_gap = at % 16384 == 48 if size <= 512 else at == last + size + 16
                if fills_no_gap:
                    break
                taken.append(block)
                last = at
        return taken

    def immortalize(memset):
        """
        Gives all objects the reference count of immortal ones, which Python 3.12 and later do not change, so that a fork copies
        no page only to count. They are never freed, and files among them never closed: for forks that end by os._exit.
        """
        import gc
        program, found, new = type(freeze.__code__), {}, gc.get_objects()
        while new:
            new = [each for at, each in {id(each): each for each in new}.items() if at not in found]
            found.update((id(each), each) for each in new)
            # The collector does not know what a program refers to.
            programs = [each for each in new if type(each) is program]
            new = gc.get_referents(*new)
            for each in programs:
                new += each.co_consts, each.co_names, each.co_name, each.co_qualname, each.co_filename
        gaps = fill_gaps()
        for at in (*found, id(gaps)):
            # The lower half of the count.
            memset(at, 255, 4)

    def sibling_fork():
        """Returns a function like os.fork, but init is the child's parent at once. None where that cannot be done."""
        import ctypes
        c, python, thread = ctypes.PyDLL(None), ctypes.pythonapi, ctypes.c_void_p()
        # As C's fork does, the kernel writes the child's id where glibc keeps it; prctl tells that place.
        is_known = os.uname().machine == 'x86_64' and hasattr(c, 'gnu_get_libc_version')
        if not is_known or c.prctl(40, ctypes.byref(thread), 0, 0, 0) != 0:
            return None
        if ctypes.c_int.from_address(thread.value).value != os.getpid():
            return None
        # CLONE_PARENT, CLONE_CHILD_SETTID, CLONE_CHILD_CLEARTID and the signal of a child's end.
        flags = 0x8000 | 0x1000000 | 0x200000 | 17
        # Looked up once, and not in each fork.
        before_fork, in_child, in_parent = python.PyOS_BeforeFork, python.PyOS_AfterFork_Child, python.PyOS_AfterFork_Parent
        syscall = c.syscall

        def fork():
            before_fork()
            made = syscall(56, flags, None, None, thread, None)
            if made == 0:
                in_child()
            else:
                in_parent()
            if made < 0:
                raise OSError('the fork failed')
            return made
        return fork

    def fork_twice():
        # The process between ends, so that init is the program's parent.
        middle = os.fork()
        if middle != 0:
            os.waitpid(middle, 0)
            return middle
        try:
            if os.fork() != 0:
                os._exit(0)
        except BaseException:
            os._exit(1)
        return 0

    def become_fork():
        paths = set(sys.path_importer_cache)
        import _socket, ctypes
        prctl, memset = ctypes.CDLL(None).prctl, ctypes.memset
        fork = sibling_fork() or fork_twice
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
        if module is not None:
            module.rehearse()
            if sys.maxsize >> 32 and sys.byteorder == 'little':
                immortalize(memset)
        freeze()
        os.write(control, b'w')
        while True:
            message, ancillary, _, _ = asked.recvmsg(1, _socket.CMSG_SPACE(16))
            if not message or not ancillary:
                os._exit(0)
            data = ancillary[0][2]
            fds = [int.from_bytes(data[at:at + 4], sys.byteorder) for at in range(0, 16, 4)]
            if fork() == 0:
                break
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

    def run_program():
        # A program with a library needs nothing of the rest of the interpreter's start, and ends its process itself.
        path = os.path.abspath(sys.argv[0])
        sys.path.insert(0, os.path.dirname(path))
        try:
            with open(path, encoding='utf-8') as file:
                text = file.read()
            if text[0] == '[':
                # Not a program, which each fork would compile, but a function of the library and its arguments.
                import json
                function, *arguments = json.loads(text)
                getattr(sys.modules.pop('isopod library'), function)(*arguments)
            else:
                exec(compile(text, path, 'exec', 0, True), vars(sys.modules['__main__']))
        except BaseException:
            sys.excepthook(*sys.exc_info())
        os._exit(1)

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
    if library:
        run_program()


_preload()
raise ImportError(name='usercustomize')
