"""The calls that a script makes in any case, so that their questions can be sent together."""
import ast

# Reading ahead takes time, in which the code waits.
MAX_SCRIPT_CHARACTERS, MAX_FORESEEN_CALLS = 1 << 14, 500
# Built-in functions, and functions of modules, that change nothing and ask nothing if they get plain values.
PLAIN_FUNCTIONS = set('''
    abs all any bin bool bytes chr complex dict divmod enumerate float frozenset hex int isinstance len list max min oct ord
    pow range reversed round set sorted str sum tuple type zip
'''.split())
PLAIN_MODULES = {'math', 'cmath'}
# Expressions that evaluate all of their parts in this order, and nothing else.
PARTS = {
    ast.Constant: lambda node: (),
    ast.List: lambda node: node.elts,
    ast.Tuple: lambda node: node.elts,
    ast.Set: lambda node: node.elts,
    ast.Dict: lambda node: (part for pair in zip(node.keys, node.values) for part in pair),
    ast.UnaryOp: lambda node: (node.operand,),
    ast.BinOp: lambda node: (node.left, node.right),
    ast.Subscript: lambda node: (node.value, node.slice),
    ast.Slice: lambda node: filter(None, (node.lower, node.upper, node.step)),
}


class Unforeseen(Exception):
    """The next part of the script depends on answers of the code, takes time, or has a form that is not known to be harmless."""


class CallsAhead:
    """
    Reads a script from its beginning, as long as it only compares what functions of the code give for literals with plain
    values. So nothing but these calls happens in between, if the answers are plain values.
    """

    def __init__(self, names):
        self.of_code = {name: it for name, it in names.given.items() if about(it) is not None and names.get(name) is it}
        # Names of the code and of the script; among these its functions, modules and constants.
        self.given, self.functions, self.modules, self.constants = set(names.given), {}, set(), set()
        # Of the function that is called: functions of the code by the names of its parameters.
        self.parameters, self.calls = {}, []

    def read(self, script):
        """The calls, each a function of the code with its arguments and its named arguments."""
        try:
            for statement in ast.parse(script).body:
                self.statement(statement)
        except (Unforeseen, RecursionError):
            pass
        return self.calls

    def statement(self, node):
        kind = type(node)
        if kind is ast.Import or kind is ast.ImportFrom:
            self.import_(node)
        elif kind is ast.FunctionDef:
            self.define(node)
        elif kind is ast.Assign:
            self.assign(node)
        elif kind is ast.Expr and type(node.value) is ast.Call:
            self.check(node.value)
        else:
            self.assertion(node)

    def assertion(self, node):
        """Reads an assertion, or a statement without effect."""
        if type(node) is ast.Assert:
            self.expression(node.test)
            self.without_calls(node.msg)
        elif type(node) is not ast.Pass and not (type(node) is ast.Expr and type(node.value) is ast.Constant):
            raise Unforeseen

    def import_(self, node):
        modules = [each.name for each in node.names] if type(node) is ast.Import else [node.module]
        for each in node.names:
            self.bind(each.asname or each.name)
        # An import between calls takes time, which the code can measure.
        if self.calls or not MODULES.issuperset(modules) or node.names[0].name == '*':
            raise Unforeseen
        if type(node) is ast.Import and PLAIN_MODULES.issuperset(modules):
            self.modules.update(each.asname or each.name for each in node.names)

    def define(self, node):
        """Reads the definition of a function. Its body is read at each call."""
        takes = node.args
        self.bind(node.name)
        annotated = node.returns or any(each.annotation for each in takes.args)
        others = takes.posonlyargs or takes.kwonlyargs or takes.vararg or takes.kwarg or takes.defaults
        if node.decorator_list or annotated or others:
            raise Unforeseen
        self.functions[node.name] = node

    def assign(self, node):
        self.without_calls(node.value)
        for target in node.targets:
            if type(target) is not ast.Name:
                raise Unforeseen
            self.bind(target.id)
            self.constants.add(target.id)

    def bind(self, name):
        """Binds a name of the script. Names that are bound twice, or belong to the code, end the reading."""
        if name in self.given:
            raise Unforeseen
        self.given.add(name)

    def check(self, call):
        """Reads a call of a function of the script whose arguments are functions of the code: `check(add)`."""
        function = self.functions.get(getattr(call.func, 'id', None))
        if function is None or call.keywords or len(call.args) != len(function.args.args):
            raise Unforeseen
        if any(isinstance(each, (ast.Yield, ast.YieldFrom)) for each in ast.walk(function)):
            raise Unforeseen
        given = [self.of_code.get(getattr(each, 'id', None)) for each in call.args]
        if None in given:
            raise Unforeseen
        self.parameters = dict(zip((each.arg for each in function.args.args), given))
        for statement in function.body:
            self.assertion(statement)
        self.parameters = {}

    def expression(self, node):
        """Adds the calls of an expression in the order of their evaluation."""
        kind = type(node)
        if kind is ast.Call:
            self.call(node)
        elif kind is ast.Name:
            if not (node.id in self.constants or self.is_plain(node.id)) or node.id in self.parameters:
                raise Unforeseen
        elif kind is ast.Compare:
            # What follows the second value is evaluated only if that decides nothing.
            self.expression(node.left)
            self.expression(node.comparators[0])
            self.without_calls(*node.comparators[1:])
        elif kind is ast.BoolOp:
            self.expression(node.values[0])
            self.without_calls(*node.values[1:])
        elif kind in PARTS:
            for part in PARTS[kind](node):
                self.expression(part)
        else:
            raise Unforeseen

    def without_calls(self, *nodes):
        before = len(self.calls)
        for node in filter(None, nodes):
            self.expression(node)
        if len(self.calls) > before:
            del self.calls[before:]
            raise Unforeseen

    def call(self, node):
        if type(node.func) is ast.Attribute:
            name, is_plain = None, getattr(node.func.value, 'id', None) in self.modules.difference(self.parameters)
        else:
            name = getattr(node.func, 'id', None)
            is_plain = self.is_plain(name) and name not in self.parameters
        if is_plain:
            for part in (*node.args, *(each.value for each in node.keywords)):
                self.expression(part)
            return
        function = self.parameters.get(name) or self.of_code.get(name)
        if function is None or len(self.calls) == MAX_FORESEEN_CALLS or any(each.arg is None for each in node.keywords):
            raise Unforeseen
        self.calls.append((function, [literal(each) for each in node.args], {each.arg: literal(each.value) for each in node.keywords}))

    def is_plain(self, name):
        return name in PLAIN_FUNCTIONS and name not in self.given


def literal(node):
    if type(node) is ast.Constant:
        return node.value
    # The order of items depends on how a set was made, so the question would differ.
    if any(type(each) is ast.Set for each in ast.walk(node)):
        raise Unforeseen
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise Unforeseen from None
