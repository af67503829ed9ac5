"""Evaluates what a script does without the code, before the script does it."""
import ast
import builtins
import collections
from _signal import ITIMER_VIRTUAL, SIGVTALRM, setitimer, signal

# Meanwhile the code waits.
MAX_SECONDS = 0.05
# Of all arguments.
MAX_ITEMS = 10_000
# Built-in functions, and functions of modules, that change nothing and ask nothing if they get plain values.
PLAIN_FUNCTIONS = set('''
    abs all any bin bool bytes chr complex dict divmod enumerate float frozenset hex int isinstance len list max min oct ord
    pow range reversed round set sorted str sum tuple type zip
'''.split())
PLAIN_MODULES = {'math', 'cmath'}
# Modules that change nothing but a generator of random numbers, and of these the ones whose attributes stay the same.
PURE_MODULES = PLAIN_MODULES | {'copy', 'random', 'string'}
CONSTANT_MODULES = PLAIN_MODULES | {'string'}
# Without a seed, these take one from the system; this takes every number from it.
TAKING_SEEDS, SYSTEM_RANDOM = {'seed', 'Random'}, 'SystemRandom'
# One call of these can take long.
SLOW = {'comb', 'factorial', 'perm', 'pow'}
PURE_NODES = {getattr(ast, name) for name in '''
    Constant Name Load Store List Tuple Set Dict UnaryOp BinOp BoolOp Compare IfExp Call keyword Attribute Subscript Slice
    ListComp SetComp DictComp GeneratorExp comprehension JoinedStr FormattedValue
    And Or Not Invert UAdd USub Add Sub Mult MatMult Div Mod RShift BitOr BitXor BitAnd FloorDiv
    Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn
    Assign AugAssign Expr If For Pass Break Continue
'''.split()}
# These give iterators, and these use iterators up.
LAZY = {'enumerate', 'reversed', 'zip'}
CONSUMING = LAZY | set('all any bytes dict frozenset list max min set sorted sum tuple'.split())
# Larger numbers can make one call of a built-in function take long, which nothing interrupts.
MAX_NUMBER = 100_000
MODULE = type(ast)
PLAIN_BUILTINS = {name: getattr(builtins, name) for name in PLAIN_FUNCTIONS}
SCALARS_AND_BYTES = {*SCALARS, complex, bytes}
CONTAINERS = {list, tuple, dict, set, frozenset, collections.deque}


class Unforeseen(Exception):
    """The next part of the script depends on answers of the code, takes time, or has a form that is not known to be harmless."""


class Scratch:
    """The variables of a script as they will be, as far as they do not depend on the code. The script itself sees nothing of it."""

    def __init__(self, taken):
        # Names that the script may not bind anew: those of the code, and of functions of the script.
        self.taken = set(taken)
        self.values, self.answers = {}, {}
        # Containers that were passed to the code, which may change them, by their ids.
        self.passed = {}
        self.names, self.programs, self.random, self.handler = {}, {}, None, None

    def start(self):
        """Ends the reading with Unforeseen after some processor time."""
        self.handler = signal(SIGVTALRM, ended_reading)
        setitimer(ITIMER_VIRTUAL, MAX_SECONDS)

    def leave(self):
        """Stops the timer, and gives the script the random numbers that it would have had."""
        setitimer(ITIMER_VIRTUAL, 0)
        signal(SIGVTALRM, self.handler)
        if self.random is not None:
            module, state = self.random
            module.setstate(state)

    def is_plain(self, name):
        """Whether a name is that of a built-in function that changes nothing."""
        return name in PLAIN_FUNCTIONS and not (name in self.taken or name in self.values or name in self.answers)

    def is_pure(self, node):
        """Whether a statement or an expression neither asks the code nor depends on its answers, nor changes the system."""
        if node not in self.names:
            self.names[node] = names_in(node)
        if self.names[node] is None:
            return False
        loads, stores, bare, constants = self.names[node]
        return self.taken.isdisjoint(stores) and all(
            each in stores or self.is_plain(each) or each in self.values and (each not in bare or is_steady(self.values[each]))
            for each in loads) and all(self.is_constant_module(each) for each in constants) and not (
            self.passed and any(self.holds_passed(self.values.get(each)) for each in loads))

    def is_constant_module(self, name):
        module = self.values.get(name)
        return type(module) is MODULE and module.__name__ in CONSTANT_MODULES

    def holds_passed(self, value):
        """Whether a value is, or has in it, a container that the code may have changed."""
        if type(value) not in CONTAINERS:
            return False
        parts = shallow(value)
        if len(parts) > MAX_ITEMS:
            raise Unforeseen
        return id(value) in self.passed or any(self.holds_passed(each) for each in parts)

    def run(self, statement):
        """Runs a pure statement."""
        if statement not in self.programs:
            self.programs[statement] = compile(ast.Module([statement], []), 'script', 'exec')
        exec(self.programs[statement], self.variables())
        for name in self.names[statement][1] & self.values.keys():
            self.answers.pop(name, None)

    def evaluate(self, expression):
        if type(expression) is ast.Constant:
            return expression.value
        if expression not in self.programs:
            self.programs[expression] = compile(ast.Expression(expression), 'script', 'eval')
        return eval(self.programs[expression], self.variables())

    def variables(self):
        self.values['__builtins__'] = PLAIN_BUILTINS
        return self.values

    def bind(self, target, value):
        if type(target) is ast.Tuple:
            for each, part in zip(target.elts, value, strict=True):
                self.bind(each, part)
        elif type(target) is ast.Name and target.id not in self.taken:
            self.values[target.id] = value
            self.answers.pop(target.id, None)
        else:
            raise Unforeseen

    def bind_answer(self, target, number):
        if type(target) is not ast.Name or number is None:
            raise Unforeseen
        self.bind(target, None)
        del self.values[target.id]
        self.answers[target.id] = number

    def bind_module(self, name, module, attribute=None):
        # The code may have imported it, too.
        self.taken.discard(name)
        if module.__name__ == 'random' and self.random is None:
            self.random = module, module.getstate()
        if attribute in (*TAKING_SEEDS, SYSTEM_RANDOM):
            raise Unforeseen
        self.bind(ast.Name(name), module if attribute is None else getattr(module, attribute))

    def is_plain_module(self, name):
        module = self.values.get(name)
        return type(module) is MODULE and module.__name__ in PLAIN_MODULES

    def is_copying(self, function):
        """Whether an expression is `copy.copy` or `copy.deepcopy`."""
        module = self.values.get(getattr(getattr(function, 'value', None), 'id', None))
        return type(module) is MODULE and module.__name__ == 'copy' and function.attr in ('copy', 'deepcopy')

    def pass_on(self, value):
        """Takes note of an argument. What is passed twice would be known to the code the second time."""
        kind = type(value)
        if kind in SCALARS_AND_BYTES:
            return value
        # The order of items depends on how a set was made, so the question would differ.
        if kind not in (list, tuple, dict) or id(value) in self.passed or len(self.passed) == MAX_ITEMS:
            raise Unforeseen
        if kind is not tuple:
            self.passed[id(value)] = value
        for each in shallow(value):
            self.pass_on(each)
        return value


def names_in(node):
    """
    Names in a node, in four sets: those that it reads; those that it binds; those that it uses in any way besides a call of them or
    of their methods; those of which it reads an attribute without calling it. None if its form is not known to be pure.
    """
    loads, stores, bare, constants = set(), set(), set(), set()
    has_large_number, computes, used_up, called = False, False, set(), set()
    if type(node) in (ast.Set, ast.GeneratorExp):
        # A loop over a set display has another order: the compiler makes a frozenset of it. A generator runs between the calls.
        return None
    for each in ast.walk(node):
        kind = type(each)
        if kind not in PURE_NODES:
            return None
        if kind is ast.Name:
            (loads if type(each.ctx) is ast.Load else stores).add(each.id)
            if each not in called:
                bare.add(each.id)
        elif kind is ast.Constant:
            has_large_number |= type(each.value) in (int, float) and abs(each.value) > MAX_NUMBER
        elif kind is ast.BinOp:
            computes = True
        elif kind is ast.AugAssign and type(each.target) is ast.Name:
            loads.add(each.target.id)
        elif kind is ast.Compare:
            # Other objects may be the same one only here.
            if any(type(op) in (ast.Is, ast.IsNot) and type(getattr(right, 'value', 0)) not in (type(None), bool)
                   for op, right in zip(each.ops, each.comparators)):
                return None
        elif kind is ast.For or kind is ast.comprehension:
            used_up.add(each.iter)
        elif kind is ast.Call:
            computes = True
            function = each.func
            name = getattr(function, 'id', None) or getattr(function, 'attr', None)
            if name in TAKING_SEEDS and getattr(each.args[0] if each.args else None, 'value', None) is None:
                return None
            if name in SLOW:
                return None
            if name in CONSUMING or name == 'join':
                used_up.update(each.args)
            is_lazy = name in LAZY or type(function) not in (ast.Name, ast.Attribute)
            if is_lazy and each not in used_up and each is not node:
                return None
            called.add(function)
        elif kind is ast.GeneratorExp:
            if each not in used_up:
                return None
        elif kind is ast.Attribute:
            is_name = type(each.value) is ast.Name
            if each.attr[0] == '_' or each.attr == SYSTEM_RANDOM or type(each.ctx) is not ast.Load:
                return None
            if each in called:
                called.add(each.value)
            elif not is_name or each.attr in TAKING_SEEDS:
                return None
            else:
                constants.add(each.value.id)
    return None if has_large_number and computes else (loads, stores, bare, constants)


def is_steady(value):
    """Whether a value is the same each time it is read, unlike an iterator, and its text has no address in memory."""
    kind = type(value)
    return kind in SCALARS_AND_BYTES or kind in CONTAINERS or kind is range or kind is MODULE


def ended_reading(*_):
    raise Unforeseen
