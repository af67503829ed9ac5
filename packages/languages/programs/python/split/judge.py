"""Asks the code's process, and answers what the code asks in turn."""
import functools
import math
import operator
import sys
import types
from _thread import RLock, get_ident

FUNCTIONS = (
    types.FunctionType, types.MethodType, types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType,
    types.MethodWrapperType, functools.partial,
    operator.itemgetter, operator.attrgetter, operator.methodcaller)
# By these methods of built-in types an object would judge itself.
QUERIES = {'startswith', 'endswith', 'issubset', 'issuperset', 'isdisjoint'}
# These answer with what the script passes; in other classes they have other meanings.
PLAIN_QUERIES = set('union intersection difference symmetric_difference count index find rfind get replace'.split())
# These could answer with what the script passes, if that is a collection.
SET_METHODS = set('union intersection difference symmetric_difference'.split())
# Questions whose answers can be compared with what the script makes afterwards, and tell nothing else.
OPERATORS = set('''
    add sub mul truediv floordiv mod divmod pow matmul and_ or_ xor lshift rshift
    iadd isub imul itruediv ifloordiv imod ipow imatmul iand ior ixor ilshift irshift
'''.split())
# Those of one value, which the judge computes as well.
OF_VALUES = {'abs': abs, 'int': int, 'float': float, 'complex': complex, 'round': round, 'bool': bool, 'len': len, 'bytes': bytes,
             'floor': math.floor, 'ceil': math.ceil, 'trunc': math.trunc, **{
    name: getattr(operator, name) for name in ('neg', 'pos', 'invert', 'index')}}
# What code raises by these would end a loop or a task of the script, and not be noticed.
ENDS_OF_LOOPS = 'StopIteration', 'StopAsyncIteration', 'CancelledError'
# How long a thread of the script waits before it looks whether it waits for itself.
TURN_SECONDS = 0.2
# With these in place of an exception of the code, the script would catch its own assertions.
CATCHERS = AssertionError, Exception, BaseException


def located(reason):
    """A reason with the line of the script that is running, if there is one."""
    if reason is None or reason.startswith('line '):
        return reason
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename != SCRIPT:
        frame = frame.f_back
    return reason if frame is None else f'line {frame.f_lineno}: {reason}'


def outcome(function, args, kwargs):
    """The class of the error that a call raises, and the error; or None and what it gives."""
    try:
        return None, function(*args, **kwargs)
    except Exception as error:
        return type(error), error


def own_answer(question, answer):
    """
    An answer with what the judge itself goes through in containers that the code cannot change later.

    Raises Unreadable if no server gives such an answer: an object of the code can look like a dictionary, and be none.
    """
    if question == 'run':
        if type(answer) is not tuple or [*map(type, answer)] != [dict, dict]:
            raise Unreadable
        names, settings = map(dict, answer)
        if any(type(each) is not str for each in (*names, *settings, *settings.values())):
            raise Unreadable
        return names, settings
    if question == 'next':
        if type(answer) is not tuple or len(answer) != 3 or type(answer[0]) is not list:
            raise Unreadable
        return [*answer[0]], *answer[1:]
    if question == 'anext' and (type(answer) is not tuple or len(answer) > 1):
        raise Unreadable
    return answer


class Reason:
    """An attribute with a reason, to which the line of the script is added when it is set."""

    def __set_name__(self, owner, name):
        self.name = '_' + name

    def __get__(self, judge, kind=None):
        return getattr(judge, self.name)

    def __set__(self, judge, reason):
        setattr(judge, self.name, located(reason))


class Judge(Meanings, Lending, Looks, Checks):
    """Asks the code's process, and gives its answers a meaning. No answer is executed."""
    doubt, excuse = Reason(), Reason()

    def __init__(self, channel):
        self.channel = channel
        for part in Meanings, Lending, Looks, Checks:
            part.__init__(self)
        self.shared, self.silence = Shared(self.forget), Silence()
        # Whether the question combines values; number of questions under way that are about an object which something looks at.
        self.combines, self.looks_under_way = False, 0
        # Threads of the script ask one after the other; an answer can need a callback.
        self.turn, self.thread = RLock(), get_ident()
        # Number of questions; texts of those that were sent and are not yet asked, and of those that follow them.
        self.asked, self.ahead, self.foreseen = 0, collections.deque(), collections.deque()
        # The latest answers; whether the current question was sent with references to some, and whether all of these are referable.
        self.latest, self.is_referring, self.is_complete = collections.deque(maxlen=MAX_ANSWERS), False, True
        # Why a success shows nothing; whether only the code could tell; why a failure may not be the code's.
        self.doubt, self.is_undecided, self.excuse = None, False, None
        self.is_lost = False
        # Lines of the script that raise an error in any case, at the beginning of a with block.
        self.unconditional = frozenset()
        # Whether the script has several coroutines at once; whether it ends or limits one.
        self.is_concurrent, self.is_limited = False, False
        # An assertion of the script that failed in a call from the code.
        self.failed = None
        # The functions by which the script runs text; whether the script is running.
        self.executing, self.is_running = {}, False

    def ask(self, name, /, *args, **kwargs):
        self.take_turn()
        combines, self.looks_under_way = self.combines, self.looks_under_way + (name in SILENT)
        try:
            self.combines = name in OPERATORS or name in ('eq', 'ne')
            look = args[0] if name == 'dataclass' else name
            if look not in PEEKS and not self.is_looking:
                self.end_looks(name, args)
            if name == 'await' and (self.is_concurrent or self.is_limited):
                self.excuse = self.excuse or 'coroutines of the code run one after the other'
                if self.is_concurrent:
                    self.doubt = self.doubt or self.excuse
            if self.thread != get_ident():
                self.doubt = self.doubt or 'the code answers threads of the script one after the other'
            asked = args if look == name else args[1:]
            try:
                value = self.exchange(name, args, kwargs)
            except Exception as error:
                if isinstance(error, (AttributeError, LookupError, TypeError, ValueError)):
                    self.compare_error(look, asked, error)
                if self.claimed:
                    self.check_claims(name, args)
                raise
            if not kwargs:
                self.compare(look, asked, value)
            self.note_content(name, args, value)
            if self.claimed:
                self.check_claims(name, args)
            if self.library_types:
                self.check_library()
            return value
        finally:
            self.combines, self.looks_under_way = combines, self.looks_under_way - (name in SILENT)
            self.turn.release()

    def take_turn(self):
        """Waits for questions of other threads. One that waits for a function of the script could wait for this thread."""
        while not self.turn.acquire(timeout=TURN_SECONDS):
            if self.answering:
                unverified(self, 'the code waits for a thread of the script, which asks the code')

    def exchange(self, name, args, kwargs):
        if self.is_lost or self.silence.depth > 0:
            raise Ended
        writer = Writer(self.refer, self.shared.containers)
        with Deep(), self.silence:
            values = writer.each(args), {key: writer.write(value) for key, value in kwargs.items()}
            message = [name, *values, self.shared.changed(writer)]
        if message[-1]:
            self.check_contents()
        seen = self.shared.seen(writer.containers)
        is_look = self.is_looking or name in PEEKS | ITERATES or name == 'dataclass'
        self.is_lost = True
        self.asked += 1
        try:
            # The worker asks the code to run, while the judge starts.
            if name != 'run':
                self.send(message)
            reply = self.receive()
            if self.is_referring and self.channel.has_dropped and reply == AGAIN:
                self.channel.send(message)
                reply = self.receive()
            elif not self.is_complete:
                raise Ended
            while reply[0] == 'ask':
                # The script may ask in turn.
                self.is_lost = False
                number, operation, given, output, fields, changed = reply[1:]
                self.change_fields(fields)
                if output:
                    sys.stdout.write(text(output))
                answer = self.answer(number, operation, given, changed, seen)
                # A look may call functions of the script, as long as these change nothing.
                changes_script = any(at < len(seen) for at, _ in answer[-1])
                if changes_script or self.has_effect(number, operation) and not is_look:
                    self.check_contents()
                self.is_lost = True
                self.channel.send(answer)
                reply = self.receive()
            is_value, value, output, changed, fields = reply
            with Deep(), self.silence:
                reader = Reader(self.meaning, writer.containers, self.check_keys)
                value = reader.read(value)
                told = reader.containers[len(writer.containers):]
                reader.change(changed)
                if changed and self.told:
                    self.note_changed(name, args, [reader.containers[number] for number, _ in changed])
                self.change_fields(fields)
            if self.ahead and not (is_value == 'ok' and reader.is_plain):
                # Init has passed on the next question already, so this one cannot be followed up.
                raise Ended
            self.check_changed(changed)
            self.latest.append(referable(value))
            self.remember(reader.containers)
            self.told.update((id(each), each) for each in told)
            self.shared.keep(name, reader.containers)
            self.shared.settle()
            # No server gives half of a character, which could not be printed.
            text(output).encode()
            if is_value == 'ok':
                value = own_answer(name, value)
        except Ended as error:
            self.is_lost = True
            if isinstance(error, TooLarge):
                self.doubt = self.doubt or 'a value is larger than the judge takes'
            raise
        except (Unreadable, ValueError, TypeError, IndexError, KeyError, ArithmeticError, RecursionError):
            self.is_lost = True
            raise Ended from None
        self.is_lost = False
        if output:
            sys.stdout.write(output)
        if is_value == 'ok':
            return value
        # Others can look like one.
        if BaseException not in type(value).__mro__:
            raise Ended
        if any(each.__name__ in ENDS_OF_LOOPS for each in type(value).__mro__):
            self.doubt = self.doubt or f'{type(value).__name__} was raised outside of an iterator'
        raise value

    def check_changed(self, changed):
        """Notices that the code changes a container while something looks at it: a comparison would miss what it held before."""
        if changed and self.looks_under_way > 0:
            self.doubt = self.doubt or 'a look at an object changes what the script holds'

    def send(self, question):
        """Sends a question, unless that was done ahead."""
        if not self.ahead and self.foreseen:
            self.ahead.extend(self.foreseen.popleft() for _ in range(min(MAX_QUESTIONS_AT_ONCE, len(self.foreseen))))
            self.channel.send_all([text for text, _ in self.ahead])
        self.is_referring, self.is_complete = False, True
        if not self.ahead:
            self.channel.send(question)
            return
        text, self.is_referring = self.ahead.popleft()
        if self.is_referring:
            text = self.with_answers(text)
            self.is_complete = text is not None
        if text is not None and encoded(question) != text:
            unverified(self, 'the script calls the code otherwise than its text says')

    def with_answers(self, text):
        """The text of a question that has answers in place of references to them; None if one of them is not referable."""
        name, args, kwargs, changed = decoded(text)
        writer = Writer(None)

        def own(value):
            if type(value) is not list or value[0] != 'answer':
                return value
            if self.latest[-value[1]] is ...:
                raise NotReferable
            return writer.write(self.latest[-value[1]])
        try:
            return encoded([name, [own(each) for each in args], {key: own(value) for key, value in kwargs.items()}, changed])
        except NotReferable:
            return None

    def receive(self):
        """Receives an answer, or what the code asks before it answers."""
        try:
            reply = self.channel.receive()
        except Ended:
            raise
        except BaseException:
            # A signal handler of the script raised it, for example for an alarm.
            self.doubt = self.doubt or 'the script stopped waiting for the code'
            raise
        if self.channel.has_dropped:
            self.ahead.clear()
            self.foreseen.clear()
        elif self.ahead and reply[0] == 'ask':
            raise Ended
        return reply

    def foresee(self, function, args, kwargs):
        """Takes note of a call that the script will make, so that its question can be sent with others."""
        writer = Writer(self.refer)

        def write(value):
            return ['answer', value.distance] if type(value) is Answer else writer.write(value)
        values = [write(function), *map(write, args)], {key: write(value) for key, value in kwargs.items()}
        text = encoded(['call', *values, []])
        if len(text) > SMALL_BYTES:
            raise Unforeseen
        self.foreseen.append((text, any(type(each) is Answer for each in (*args, *kwargs.values()))))

    def call(self, thing, /, *args, **kwargs):
        """Calls something in the code's process."""
        has_members = thing._isopod_kind == 'class' and thing._isopod_fields
        if has_members and len(args) == 1 and not kwargs and type(args[0]) in SCALARS:
            for each in thing._isopod_fields.values():
                value = self.member_values.get(id(each))
                if value is not None and type(value) is type(args[0]) and value == args[0]:
                    return each
        if thing._isopod_kind == 'class' and (args or kwargs):
            self.last_made = self.asked + 1
        self.passed.update(each._isopod_number for each in (*args, *kwargs.values()) if about(each) is not None)
        number, maker = self.asked + 1, self.maker
        self.maker, self.tuples_told = thing._isopod_number, set()
        try:
            made = self.ask('call', thing, *args, **kwargs)
        finally:
            self.maker = maker
        known = about(made)
        if thing._isopod_kind != 'class':
            self.note_answer(thing, known, args, kwargs)
            return made
        if known is None or known._isopod_kind != thing._isopod_number:
            self.check_other(thing, made, args, kwargs)
            return made
        if has_members and (len(args) != 1 or type(args[0]) in SCALARS):
            unverified(self, f'only the code could tell which member of {thing._isopod_name} that is')
        is_plain = all(type(each) in SCALARS for each in (*args, *kwargs.values()))
        given = (args, tuple(kwargs.items())) if is_plain else None
        is_known = made._isopod_rule != 'member' and self.first_seen[made._isopod_number] < number
        if is_known and (given is None or self.made_of.get(made._isopod_number) != given):
            unverified(self, f'{thing._isopod_name} gives an object that it made of something else')
        self.made_of[made._isopod_number] = given
        if is_plain and not is_known:
            self.unused.add(made._isopod_number)
        object.__setattr__(made, '_isopod_is_made', True)
        # The code knew what this one is made of when it was asked.
        object.__setattr__(made, '_isopod_told', number)
        object.__setattr__(made, '_isopod_is_proven', shows(made._isopod_fields, self.parameters[thing._isopod_number], args, kwargs))
        return made

    def get(self, thing, name):
        """An attribute of something in the code's process."""
        if name in QUERIES and thing._isopod_rule != 'plain':
            unverified(self, f'only the code could tell what {name} of {thing._isopod_name} says')
        is_own = name in self.overridden.get(thing._isopod_kind, ()) or thing._isopod_rule == 'plain' and self.has_plain(thing, name)
        if is_own or thing._isopod_rule == 'plain' and (name in QUERIES or name in PLAIN_QUERIES):
            return self.of_plain(thing, name)
        if thing._isopod_kind == 'class' and thing._isopod_fields and name in thing._isopod_fields:
            return thing._isopod_fields[name]
        if thing._isopod_rule == 'member' and name == 'value' and id(thing) in self.member_values:
            return self.member_values[id(thing)]
        number = self.asked + 1
        found = self.ask('get', thing, name)
        if thing._isopod_kind in ('class', 'module'):
            self.note_constant(thing._isopod_number, name, found)
        known = about(found)
        if name in SET_METHODS and thing._isopod_rule != 'plain':
            return self.of_code(thing, found)
        if thing._isopod_kind == 'class' and known is not None and known is found and type(known._isopod_kind) is int and known._isopod_rule != 'member':
            attribute, is_first = (thing._isopod_number, name), (thing._isopod_number, name) not in self.attributes
            is_stable = self.attributes.setdefault(attribute, known._isopod_number) == known._isopod_number
            if not is_stable or is_first:
                self.check_echo(found, number)
        is_member = known is not None and known._isopod_rule == 'member' and thing._isopod_number == known._isopod_kind
        if is_member and known._isopod_fields != {'name': name}:
            unverified(self, f'{known._isopod_name} has no member {name}')
        return found

    def has_plain(self, thing, name):
        """Whether the judge computes a method of an object whose class is derived from a built-in one: a class or an object can have its own."""
        base = self.plain_base(type(thing))
        return name[:1] != '_' and name not in FORMATS and name not in CHANGING_METHODS and hasattr(base, name)

    def of_plain(self, thing, name):
        """A method of a built-in type, of what an object holds; if the code answers otherwise, only it could tell."""
        reason = f'only the code could tell what its own {name} of {thing._isopod_name} says'
        if thing._isopod_rule != 'plain':
            unverified(self, reason)
        method = getattr(self.plain_of(thing), name)
        if name in QUERIES:
            return method
        there = self.ask('get', thing, name)
        if not callable(method) or not callable(there):
            return there if self.is_alike(method, there) else unverified(self, reason)

        def both(*args, **kwargs):
            args = [[*each] if isinstance(each, collections.abc.Iterator) else each for each in args]
            own = outcome(method, args, kwargs)
            outer, self.is_looking = self.is_looking, True
            try:
                told = outcome(there, args, kwargs)
            finally:
                self.is_looking = outer
            if own[0] is not told[0] or own[0] is None and not self.is_alike(own[1], told[1]):
                unverified(self, reason)
            if told[0] is not None:
                raise told[1]
            return told[1]
        return both

    def check_value(self, thing, operation, args, told):
        """Leaves unverified what an operation of a value gives, if the judge computes something else from the plain value."""
        for plain in thing._isopod_plain if thing._isopod_rule == 'plain' and operation in OF_VALUES else ():
            error, own = outcome(OF_VALUES[operation], (plain, *args), {})
            if error is not None or not self.is_alike(own, told):
                unverified(self, f'only the code could tell what {operation} of {thing._isopod_name} is')
        return told

    def copied(self, thing, operation):
        """A copy, which has the value of the object if the class is derived from a built-in one."""
        made = self.ask(operation, thing)
        if about(made) is made and made._isopod_kind == thing._isopod_kind:
            # Until one of them is changed.
            self.stands_for.setdefault(made._isopod_number, self.number_of(thing))
        if thing._isopod_rule == 'plain':
            value = self.plain_of(made) if getattr(about(made), '_isopod_rule', None) == 'plain' else made
            if self.shown(value) != self.shown(self.plain_of(thing)):
                unverified(self, f'only the code could tell what a copy of {thing._isopod_name} is')
        return made

    def is_alike(self, own, told):
        """Whether the code gives what the judge has computed, or an object of a derived class with that value."""
        if getattr(about(told), '_isopod_rule', None) == 'plain':
            told = self.plain_of(told)
        if type(own) is not type(told):
            return False
        if type(own) in VIEWS:
            return [*own] == [*told]
        # Not a number is equal to nothing.
        return own == told or own != own and told != told

    def of_code(self, thing, method):
        """A method that is no question about a collection of the script."""
        def call(*args, **kwargs):
            if any(type(each) in (set, frozenset, list, tuple, dict) for each in args):
                unverified(self, f'the code would see in an operation of {thing._isopod_name} what may be expected')
            return method(*args, **kwargs)
        return call

    def plain_of(self, thing):
        """The plain value of an object whose class is derived from a built-in one, without what the code has learned since it gave the object."""
        if thing._isopod_plain:
            return thing._isopod_plain[0]
        value = self.ask('plain', thing)
        if type(value) is not self.plain_base(type(thing)):
            unverified(self, f'only the code could tell the plain value of {thing._isopod_name}')
        if not thing._isopod_is_made and self.last_made > self.first_seen.get(thing._isopod_number, 0):
            unverified(self, f'the code tells the value of {thing._isopod_name} after the script has made other objects')
        return value

    def has_value(self, thing):
        """Whether an object is equal to a plain value, as its class is derived from a built-in one."""
        is_valued = thing._isopod_rule == 'member' and not isinstance(thing.__class__, OfCode) and issubclass(thing.__class__, (*PLAIN,))
        return is_valued or thing._isopod_rule == 'plain'

    def plain_value(self, thing):
        """The plain value that an object is equal to."""
        if thing._isopod_rule == 'plain':
            return self.plain_of(thing)
        if id(thing) not in self.plain_members:
            unverified(self, f'only the code could tell the value of a member of {thing._isopod_name}')
        return self.plain_members[id(thing)]

    def item(self, thing, key):
        """An item of something in the code's process."""
        if thing._isopod_kind == 'class' and thing._isopod_fields and type(key) is str and key in thing._isopod_fields:
            return thing._isopod_fields[key]
        try:
            return self.ask('item', thing, key)
        except IndexError:
            if type(key) is int and key >= 0 and thing._isopod_kind != 'class':
                self.content_of(thing).ends.add(key)
            raise

    def refer(self, writer, thing):
        """A reference for the code's process."""
        kind, known = type(thing), about(thing)
        if known is not None:
            if known._isopod_is_combined and not self.combines:
                unverified(self, f'only the code could tell what {known._isopod_name} is, combined with what may be expected')
            self.unused.discard(known._isopod_number)
            return ['object', known._isopod_number]
        if kind is RemoteIterator:
            return ['object', thing._remote._isopod_number]
        if any(thing is each for each in self.executing.values()):
            unverified(self, 'the code would run text in the process of the judge')
        is_of_library = isinstance(thing, type) and home_of(thing) not in (None, '__main__')
        if is_of_library or kind in (types.BuiltinFunctionType, type) and thing.__module__ and thing.__module__ != '__main__':
            # To be known as that function if the code gives it back.
            own = [self.lend(thing)] if kind is types.BuiltinFunctionType and PLAIN_BUILTINS.get(thing.__name__) is thing else []
            return ['named', thing.__module__, thing.__qualname__, *own]
        if isinstance(thing, BaseException):
            return self.refer_error(writer, thing)
        if isinstance(thing, type) and is_lendable_error(thing):
            return self.refer_error_class(thing)
        if kind in self.tuples.values():
            if '_remote' not in vars(thing):
                return ['tuple', *writer.each(thing)]
            self.unused.discard(thing._remote._isopod_number)
            return ['object', thing._remote._isopod_number]
        for base in (bool, int, float, complex, str, bytes):
            if isinstance(thing, base):
                return writer.write(base(thing))
        if isinstance(thing, tuple) and hasattr(kind, '_fields') and kind.__eq__ is tuple.__eq__:
            return ['named tuple', self.lend(kind), kind.__name__, list(kind._fields), writer.each(thing)]
        is_class = isinstance(thing, type) and not issubclass(thing, BaseException)
        if isinstance(thing, FUNCTIONS) or is_class or kind.__module__ == '__main__' and callable(thing):
            function = about(thing.__func__) if kind is types.MethodType else None
            name = getattr(thing, '__name__', kind.__name__) if function is None else function._isopod_name
            return ['callback', self.lend(thing), name, parameters(thing)]
        if kind in LENDABLE or kind is KEY or is_mock(kind) or kind.__module__ == '__main__' and is_own(kind):
            return ['lent', self.lend(thing), own_methods(kind), kind.__name__]
        if hasattr(kind, '__next__'):
            return ['iterator', self.lend(thing)]
        unverified(self, f'an argument of type {kind.__name__} cannot pass to the process of the code')

    def refer_error(self, writer, error):
        if '_remote' in vars(error):
            return ['object', error._remote._isopod_number]
        kind = type(error)
        base = next(each for each in kind.__mro__ if each.__module__ == 'builtins')
        lent = kind if is_lendable_error(kind) else base
        has_own_text = kind is not lent and kind.__str__ is not base.__str__
        is_shown = kind is base or not has_own_text and all(type(each) in SCALARS for each in error.args)
        args = writer.each(error.args) if is_shown else [str(error)]
        return ['exception', self.refer_error_class(lent), args, self.lend(error)]

    def refer_error_class(self, kind):
        """A reference to a class of exceptions of the script, or to a built-in one."""
        if kind.__module__ == 'builtins':
            return ['named', 'builtins', kind.__name__]
        bases = [self.refer_error_class(each) for each in kind.__bases__ if issubclass(each, Exception)]
        return ['error class', self.lend(kind), kind.__name__, bases, own_methods(kind)]

    def is_instance(self, thing, kind):
        if about(thing) is not None:
            return self.ask('instance', about(thing), kind) is True
        return type(thing) is self.tuples.get(kind._isopod_number)

    def is_judged_by_code(self, thing):
        """Whether only the code could tell what an object is equal to."""
        return thing._isopod_rule in ('own', 'fields') or thing._isopod_rule == 'plain' and not thing._isopod_plain

    def equal(self, one, other):
        if self.silence.depth > 0 and any(about(each) is each and self.is_judged_by_code(each) for each in (one, other)):
            # A message is being read: these are two keys of one container of the code, and so not equal there.
            # Keys with the same fields are merged, which the reader notices.
            is_like = about(other) is other and one._isopod_kind == other._isopod_kind
            fields = one._isopod_fields
            return is_like and (one._isopod_number == other._isopod_number or bool(fields) and fields == other._isopod_fields)
        if about(other) is None:
            if one._isopod_is_combined:
                unverified(self, f'only the code could tell what {one._isopod_name} is, combined with a plain value')
            if one._isopod_rule == 'own':
                unverified(self, f'only the code could tell whether {one._isopod_name} equals a plain value')
            return self.has_value(one) and self.plain_value(one) == other
        if isinstance(other, OfCode):
            if one._isopod_rule == 'own' and self.ask('eq', one, other) is not False:
                unverified(self, f'only the code could tell whether {one._isopod_name} equals a class')
            return False
        number = one._isopod_number
        if number in self.shared_answers and number == other._isopod_number:
            unverified(self, f'the code gives one {one._isopod_name} as several answers')
        if one is other:
            return True
        are_valued = self.has_value(one) and self.has_value(other)
        if one._isopod_rule == 'member' and one._isopod_kind == other._isopod_kind:
            # Each member is one object here, whatever number the code gives to it, and no two have the same value.
            are_valued = are_valued and {id(one), id(other)} <= self.plain_members.keys()
            if not are_valued:
                return False
        if number == other._isopod_number and (number in self.passed or number not in self.made_of):
            # One object, which the code made or can have kept.
            return one._isopod_rule != 'own' or self.ask('eq', one, other) is True
        if one._isopod_kind != other._isopod_kind and 'own' in (one._isopod_rule, other._isopod_rule):
            if self.ask('eq', one, other) is not False:
                unverified(self, f'only the code could tell whether two of {one._isopod_name} are equal')
            return False
        if are_valued:
            if self.plain_value(one) != self.plain_value(other):
                return False
            if one._isopod_rule == 'member' == other._isopod_rule and one._isopod_kind != other._isopod_kind:
                return True
            unverified(self, f'only the code could tell whether two of {one._isopod_name} are equal')
        if one._isopod_kind != other._isopod_kind or one._isopod_rule == 'member':
            return False
        are_others = one._isopod_rule == 'identity' and one._isopod_number != other._isopod_number
        if are_others or one._isopod_fields != other._isopod_fields:
            is_hidden = one._isopod_rule == 'fields' and None in (one._isopod_fields, other._isopod_fields)
            if is_hidden or one._isopod_rule == 'own' and self.ask('eq', one, other) is not False:
                unverified(self, f'only the code could tell whether two of {one._isopod_name} are equal')
            return False
        # One of them must be what the script made, and the code must have told the other one before it knew that.
        first, last = sorted((one, other), key=lambda each: each._isopod_told)
        if not (last._isopod_is_proven and (first._isopod_is_proven or first._isopod_told < last._isopod_told)):
            unverified(self, f'only the code could tell whether two of {one._isopod_name} are equal')
        return one._isopod_rule != 'own' or self.ask('eq', one, other) is True

    def unequal(self, one, other):
        """Whether two are unequal for a class with a method for that."""
        seen = not self.equal(one, other)
        if (self.ask('ne', one, other) is True) != seen:
            unverified(self, f'only the code could tell whether two of {one._isopod_name} are unequal')
        return seen
