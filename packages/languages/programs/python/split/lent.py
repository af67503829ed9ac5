"""What the judge's script passes to the code. Every use of it is a question to the judge."""
import types


# Attributes of what stands for a function; all others are the function's.
OWN = {'_ask', '_parameters', *(f'__{name}__' for name in 'name qualname doc code module wrapped annotations type_params'.split())}


class Callback:
    """A function of the judge's script."""

    def __init__(self, server, number, name):
        self._ask = lambda operation, *args: server.ask_judge(number, operation, args)
        self.__name__ = self.__qualname__ = name

    def __call__(self, /, *args, **kwargs):
        return self._ask('call', args, kwargs)

    def __getattr__(self, name):
        if name[:1] == '_':
            raise AttributeError(name)
        return self._ask('get', name)

    def __setattr__(self, name, value):
        if name in OWN:
            object.__setattr__(self, name, value)
        else:
            self._ask('set', name, value)

    def __instancecheck__(self, thing):
        return self._ask('instance', thing)


class Function(Callback):
    """One that becomes a method where it is set as an attribute of a class, and shows its parameters."""

    def __init__(self, server, number, name, parameters):
        super().__init__(server, number, name)
        self._parameters = parameters
        self.__doc__ = parameters['doc']
        self.__code__ = types.SimpleNamespace(
            co_argcount=parameters['count'], co_varnames=tuple(parameters['names']), co_name=name, co_flags=0)

    @property
    def __signature__(self):
        import inspect
        known, kind, made = self._parameters, inspect.Parameter, []
        names, count, named = known['names'], known['count'], known['only by name']
        for at, name in enumerate(names[:count]):
            default = None if at >= count - known['optional'] else kind.empty
            is_plain = at >= known['only by position']
            made.append(kind(name, kind.POSITIONAL_OR_KEYWORD if is_plain else kind.POSITIONAL_ONLY, default=default))
        if known['has rest']:
            made.append(kind(names[count + named], kind.VAR_POSITIONAL))
        for name in names[count:count + named]:
            default = None if name in known['optional by name'] else kind.empty
            made.append(kind(name, kind.KEYWORD_ONLY, default=default))
        if known['has named rest']:
            made.append(kind(names[-1], kind.VAR_KEYWORD))
        return inspect.Signature(made)

    def __get__(self, thing, kind=None):
        return self if thing is None else types.MethodType(self, thing)


def call_back(server, number, name, parameters):
    return Callback(server, number, name) if parameters is None else Function(server, number, name, parameters)


class Lent:
    """An object of the judge's script: its own attributes and methods only."""

    __slots__ = ()
    __dict__ = property(lambda self: self._ask('dict'))

    def __getattr__(self, name):
        return self._ask('get', name)

    def __setattr__(self, name, value):
        self._ask('set', name, value)


def lend(server, number, methods, name):
    """Makes an object that has the special methods of one of the judge's script, and the name of its class."""
    space = {name: lambda self, *args, name=name: self._ask('special', name, *args) for name in methods}
    if '__exit__' in methods:
        # Traces of the code's process mean nothing in the judge's.
        space['__exit__'] = lambda self, kind, error, trace: self._ask('special', '__exit__', kind, error, None)
    if '__call__' in methods:
        space['__call__'] = lambda self, /, *args, **kwargs: self._ask('call', args, kwargs)
    if '__eq__' in methods and '__hash__' not in methods:
        space['__hash__'] = None
    space['_ask'] = staticmethod(lambda operation, *args: server.ask_judge(number, operation, args))
    return type(name, (Lent,), {**space, '__module__': '__main__', '__slots__': '__weakref__'})()


class LentIterator:
    """An iterator of the judge's script."""

    def __init__(self, server, number):
        self._ask = lambda operation, *args: server.ask_judge(number, operation, args)

    def __iter__(self):
        return self

    def __next__(self):
        return self._ask('next')

    def __getattr__(self, name):
        return self._ask('get', name)


class LentErrorType(type):
    """The type of the exception classes of the judge's script, in whose process their objects are made."""

    def __call__(cls, /, *args, **kwargs):
        return cls._server.ask_judge(cls._number, 'call', (args, kwargs))

    def __getattr__(cls, name):
        if name[:1] == '_':
            raise AttributeError(name)
        return cls._server.ask_judge(cls._number, 'get', (name,))


def lend_error_class(server, number, name, bases, methods):
    """Makes a class of exceptions like one of the judge's script, derived from what that is derived from."""
    def ask(error, operation, *args):
        return server.ask_judge(server.lent_numbers[id(error)], operation, args)

    def get(error, name):
        if name[:1] == '_':
            raise AttributeError(name)
        return ask(error, 'get', name)

    def set_(error, name, value):
        if name[:1] == '_' or name == 'args':
            BaseException.__setattr__(error, name, value)
        if name[:1] != '_':
            ask(error, 'set', name, value)

    def refuse(kind, **settings):
        # The judge would know no objects of a class that the code derives.
        if '_number' not in vars(kind):
            server.ask_judge(number, 'get', ('__init_subclass__',))
    space = {name: lambda self, *args, name=name: ask(self, 'special', name, *args) for name in methods}
    space.update(
        _server=server, _number=number, __module__='__main__',
        __getattr__=get, __setattr__=set_, __init_subclass__=classmethod(refuse))
    return LentErrorType(name, tuple(server.own(None, each) for each in bases), space)


LENT = {'callback': call_back, 'lent': lend, 'iterator': LentIterator, 'error class': lend_error_class}
