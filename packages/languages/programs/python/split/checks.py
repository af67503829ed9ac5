"""Signs that the code decides what only the judge should. What the script then finds is left unverified."""

# Items of containers that are no longer shared, and that the judge watches.
WATCHED_ITEMS = 100_000
# Noted calls of built-in functions that the code defines as well.
MAX_CALLS = 1000


def is_flat(value):
    """Whether something is a plain value, or a list of plain values."""
    return type(value) in SCALARS or type(value) in (list, tuple) and all(type(each) in SCALARS for each in value)


class Checks:
    def __init__(self):
        # Library types and modules that an answer names; what the script calls by an attribute; whether it calls what it finds.
        self.claimed, self.called_attributes, self.calls_found = [], set(), False
        # What the script gave for objects that functions of the code gave, and those that were given for several arguments.
        self.answered, self.shared_answers = {}, set()
        # Containers that the code gave as answers, and that both processes share, by their ids.
        self.told = {}
        # Containers that are no longer shared, with what they held then, by their ids.
        self.forgotten, self.watched = {}, 0
        # Objects that the script made of plain values, and that nothing has used since; the class that makes one now.
        self.unused, self.maker = set(), None
        # The last question in which the script had an object made; numbers of the named tuples of its class that came since then.
        self.last_made, self.tuples_told = 0, set()
        # Numbers of the exceptions that the script has had made.
        self.errors_made = set()
        # Constants that the script has read, by where they are and their values.
        self.constants = {}
        # Numbers of the objects that were arguments of calls.
        self.passed = set()
        # Settings of the code's process after the code has run, by their names.
        self.settings = {}
        # Modules that the script uses in place of those that the code has imported, by their names.
        self.own_modules = {}
        # Calls of functions that are to be compared with those of the code, and a test of unittest that failed.
        self.calls, self.failed_test = [], None

    def check_name(self, name, value):
        """Leaves unverified what the code calls by another name than the library: only the code says that it is the library's."""
        is_library = isinstance(value, types.ModuleType) or isinstance(value, type) and about(value) is None and not issubclass(value, BaseException)
        if is_library and value.__name__.rpartition('.')[2] != ALIASES.get(name, name):
            self.doubt = self.doubt or f'{name} of the code stands for {value.__name__} of Python'

    def check_claims(self, name, args):
        """Leaves unverified what the script would have Python compute, because the code says that it is of Python."""
        claimed, self.claimed = self.claimed, []
        for each in claimed:
            is_called = name == 'get' and args[1] in self.called_attributes and args[1] != each.__name__
            if is_called or self.calls_found or name != 'name' and isinstance(each, types.ModuleType):
                self.doubt = self.doubt or f'an answer of the code stands for {each.__name__} of Python'

    def note_changed(self, name, args, changed):
        """Notices results that change while the script makes something else, which can be what it expects."""
        is_making = name == 'name' or about(args[0]) is not None and about(args[0])._isopod_kind == 'class'
        given = set(map(id, args))
        if is_making and any(id(each) in self.told and id(each) not in given for each in changed):
            self.doubt = self.doubt or 'a result changes while the script makes something else'

    def note_answer(self, thing, made, args, kwargs):
        """Notices an object that functions give for several arguments: it would be equal to itself."""
        if made is not None and (args or kwargs) and all(map(is_flat, (*args, *kwargs.values()))):
            given = thing._isopod_name, repr(args), repr(kwargs)
            if self.answered.setdefault(made._isopod_number, given) != given:
                self.shared_answers.add(made._isopod_number)

    def check_keys(self, keys):
        """Notices keys that stand for one value: each would be found as the same key of what the script expects."""
        if len({*map(self.value_of_key, keys)}) < len(keys):
            self.doubt = self.doubt or 'several keys of the code have one value'

    def value_of_key(self, key):
        """A key without objects that are equal to plain values."""
        if about(key) is key:
            is_known = self.has_value(key) and (key._isopod_plain or id(key) in self.plain_members)
            return self.value_of_key(self.plain_value(key)) if is_known else key
        if isinstance(key, (tuple, frozenset)):
            return (tuple if isinstance(key, tuple) else frozenset)(map(self.value_of_key, key))
        return key

    def check_other(self, thing, made, args, kwargs):
        """Leaves unverified what a constructor makes that is no object of its class, and so is compared by other rules."""
        if type(made) is self.tuples.get(thing._isopod_number):
            given = {**dict(zip(type(made)._fields, args)), **kwargs}
            self.unused.add(made._remote._isopod_number)
            if len(args) <= len(type(made)._fields) and all(is_same(getattr(made, name, None), value) for name, value in given.items()):
                return
        elif about(made) is None and library_type(self.kinds[thing._isopod_number].__module__, thing._isopod_name) is not None:
            # Some classes of the library give plain values or iterators.
            return
        self.doubt = self.doubt or f'{thing._isopod_name} makes something else'

    def check_error(self, kind, expected, made):
        """Leaves unverified what the constructor of an exception gives that is no new exception of its class."""
        number = made.__dict__['_remote']._isopod_number if type(made) is expected else None
        if number is None or number in self.errors_made:
            self.doubt = self.doubt or f'{kind._isopod_name} makes something else'
        self.errors_made.add(number)

    def check_echo(self, made, question):
        """Code could give what it last gave, as what the script expects."""
        if self.first_seen[made._isopod_number] < question:
            self.doubt = self.doubt or f'{made._isopod_name} was given before'

    def note_constant(self, owner, name, value):
        """Notices constants that are one value: a result that is to be one of them would be any of them."""
        # Numbers are often the same by chance.
        if name.isupper() and type(value) is str and value:
            if self.constants.setdefault((owner, value), name) != name:
                self.doubt = self.doubt or f'{self.constants[owner, value]} and {name} are the same'

    def note_tuple(self, number, kind):
        """Notices named tuples that the code gives, while it makes one, to be what the script expects."""
        if self.maker == kind:
            self.tuples_told.add(number)
            if len(self.tuples_told) > 1:
                self.doubt = self.doubt or 'the code gives a named tuple while it makes another one'

    def check_unused(self, number, kind):
        """Notices an object that the script made, and that the code can have found nowhere but in its constructor."""
        if number in self.unused and self.maker != kind:
            self.doubt = self.doubt or 'the code gives an object that the script made and did not give to it'

    def forget(self, container):
        """Takes note of a container that is no longer shared."""
        self.told.pop(id(container), None)
        content = shallow(container)
        if self.watched + len(content) < WATCHED_ITEMS:
            self.watched += len(content)
            self.forgotten[id(container)] = container, content

    def remember(self, containers):
        """Takes note of what containers hold that both processes have just seen, whether they are shared further or not."""
        for each in containers if self.forgotten else ():
            if id(each) in self.forgotten:
                self.forgotten[id(each)] = each, shallow(each)

    def check_forgotten(self):
        """The code would not know what the script changed in a container that is no longer shared."""
        if any(has_changed(each, before) for each, before in self.forgotten.values()):
            self.doubt = self.excuse = 'the script changes a container that is too large to be shared'

    def check_settings(self):
        """Notices settings of the code's process by which functions return something else there than in this process."""
        for name, here in settings().items():
            if self.settings.get(name, here) != here:
                self.excuse = self.excuse or f'the code does not share {name} with the script'

    def check_modules(self):
        """Notices modules of Python that the code has replaced: a script that failed has used the judge's own."""
        try:
            for name, library in self.own_modules.items():
                if self.ask('name', name) is not library:
                    self.excuse = self.excuse or f'{name} of the code is not the module {name}'
        except BaseException:
            # The code has ended, or raises this.
            return

    def note_call(self, name, own, is_literal, args, kwargs):
        """
        Calls a built-in function, and notes the call for a comparison with the code's function of that name.

        is_literal: all arguments of its calls are literals, so the code would not see what the script computes.
        """
        writer = Writer(refuse)
        try:
            given = writer.each([args, kwargs])
            try:
                result = own(*args, **kwargs)
            except TypeError:
                if not is_literal:
                    unverified(self, f'{name} can be the code\'s or Python\'s')
                # It takes no such arguments: the script means the code's.
                return self.ask('name', name)(*args, **kwargs)
            self.calls.append((name, given, writer.write(result)))
        except (Unreadable, RecursionError):
            unverified(self, f'{name} can be the code\'s or Python\'s')
        return result

    def check_calls(self):
        """Compares calls once the script has ended: the code must not see what the script judges with."""
        for name, given, result in self.calls[:MAX_CALLS]:
            reader = Reader(refuse)
            args, kwargs = reader.each(given)
            expected = reader.read(result)
            try:
                found = self.ask('name', name)(*args, **kwargs)
                # An object of the code would tell what it is equal to.
                Writer(refuse).write(found)
                is_equal = found == expected
            except Exception:
                is_equal = False
            if not is_equal or len(self.calls) > MAX_CALLS:
                unverified(self, f'{name} can be the code\'s or Python\'s')


def shows(fields, parameters, args, kwargs):
    """Whether all that the constructor of an object was given is in its fields, by the names of its parameters."""
    if not fields or parameters is None:
        return False
    names, rest, defaults = parameters
    if len(set(names)) < len(names):
        return False
    given = dict(zip(names, args))
    if len(args) > len(names):
        if rest is None:
            return False
        given[rest] = args[len(names):]
    given.update(kwargs)
    left = {name.lstrip('_').rpartition('__')[2]: value for name, value in fields.items()}
    for name, value in {**defaults, **given}.items():
        if name.lstrip('_') not in left or not is_same(left.pop(name.lstrip('_')), value):
            return False
    return True


def is_same(field, given):
    """Whether a field holds a plain value that was given; a list counts for a tuple, and a decimal for its text."""
    if {type(field), type(given)} == {list, tuple}:
        return [*field] == [*given]
    if (type(field).__module__, type(given)) in (('decimal', str), ('decimal', int), ('fractions', str), ('fractions', int)):
        try:
            return field == type(field)(given)
        except (ValueError, ArithmeticError):
            return False
    return type(field) is type(given) and field == given
