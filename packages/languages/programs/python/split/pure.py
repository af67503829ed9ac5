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
# Modules that change nothing but a generator of random numbers.
PURE_MODULES = PLAIN_MODULES | {'copy', 'itertools', 'random', 'string'}
# These take time or randomness from the system, unless a seed is given.
SEEDING, RANDOM = {'seed', 'Random'}, 'SystemRandom'
PURE_NODES = {getattr(ast, name) for name in '''
    Constant Name Load Store List Tuple Set Dict UnaryOp BinOp BoolOp Compare IfExp Call keyword Attribute Subscript Slice Starred
    ListComp SetComp DictComp GeneratorExp comprehension JoinedStr FormattedValue Lambda arguments arg
    And Or Not Invert UAdd USub Add Sub Mult MatMult Div Mod Pow LShift RShift BitOr BitXor BitAnd FloorDiv
    Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn
    Assign AugAssign Expr If For Pass Break Continue
'''.split()}
PLAIN_BUILTINS = {name: getattr(builtins, name) for name in PLAIN_FUNCTIONS}
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
        self.names, self.programs, self.random = {}, {}, None

    def start(self):
        self.handler = signal(SIGVTALRM, ended_reading)
        setitimer(ITIMER_VIRTUAL, MAX_SECONDS)

    def leave(self):
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
        loads, stores = self.names[node]
        return self.taken.isdisjoint(stores) and all(
            each in stores or each in self.values or self.is_plain(each) for each in loads) and not (
            self.passed and any(self.holds_passed(self.values.get(each)) for each in loads))

    def holds_passed(self, value):
        if type(value) not in CONTAINERS:
            return False
        parts = shallow(value)
        if len(parts) > MAX_ITEMS:
            raise Unforeseen
        return id(value) in self.passed or any(self.holds_passed(each) for each in parts)

    def run(self, statement):
        if statement not in self.programs:
            self.programs[statement] = compile(ast.Module([statement], []), 'script', 'exec')
        exec(self.programs[statement], self.variables())
        for name in self.names[statement][1]:
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
        self.bind(ast.Name(name), module if attribute is None else getattr(module, attribute))

    def is_plain_module(self, name):
        module = self.values.get(name)
        return type(module) is type(builtins) and module.__name__ in PLAIN_MODULES

    def is_copying(self, function):
        module = self.values.get(getattr(getattr(function, 'value', None), 'id', None))
        return type(module) is type(builtins) and module.__name__ == 'copy' and function.attr in ('copy', 'deepcopy')

    def pass_on(self, value):
        """Takes note of an argument. What is passed twice would be known to the code the second time."""
        kind = type(value)
        if value is None or kind in (bool, int, float, complex, str, bytes):
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
    """The names that a node reads, and those that it binds; None if it has a form that is not known to be pure."""
    loads, stores = set(), set()
    for each in ast.walk(node):
        kind = type(each)
        if kind not in PURE_NODES or kind is ast.Attribute and is_impure(each) or kind is ast.Call and is_unseeded(each):
            return None
        if kind is ast.Name:
            (loads if type(each.ctx) is ast.Load else stores).add(each.id)
        elif kind is ast.arg:
            stores.add(each.arg)
        elif kind is ast.AugAssign and type(each.target) is ast.Name:
            loads.add(each.target.id)
    return loads, stores


def is_impure(attribute):
    return attribute.attr[0] == '_' or attribute.attr == RANDOM or type(attribute.ctx) is not ast.Load


def is_unseeded(call):
    return not call.args and (getattr(call.func, 'attr', None) or getattr(call.func, 'id', None)) in SEEDING


def ended_reading(*_):
    raise Unforeseen
