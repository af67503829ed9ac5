"""The calls that a script makes in any case, so that several questions can be sent at once."""
import ast

# Of the scripts that are read, in characters: reading takes time, and what a script passes in so few fits into a pipe.
MOST_SCRIPT_SIZE = 1 << 14
# Built-in functions that ask the code nothing if they get plain values.
PLAIN_FUNCTIONS = set('''
    abs all any bin bool bytes chr complex dict divmod enumerate float frozenset hex int isinstance len list max min oct ord
    pow range reversed round set sorted str sum tuple type zip
'''.split())
# The same of all functions of these modules; those of others can change what they get, or keep it.
PLAIN_MODULES = {'math', 'cmath'}
# Names by which a script reaches the code without naming it.
REFLECTING = set('eval exec compile globals locals vars __builtins__ __import__ sys inspect'.split())
# With these a function does not run to its end, or not when it is called.
LEAVING = ast.Return, ast.Yield, ast.YieldFrom
BINDING = ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler
# What stands for a set among the names in a part of a script: the order of its items is that of how it was made.
SET = '{}'


class CallsAhead:
    """
    Reads a script from its beginning, for as long as it surely calls functions of the code with literals, and asks the code
    nothing else if the answers are plain values.
    """

    def __init__(self, names):
        self.names, self.calls, self.functions, self.modules = names, [], {}, set()
        # Names by which the script can reach the code.
        self.of_code = REFLECTING.union(names.given)
        # All names in the script, in order, and which of them are in a part of it; names that it gives to something.
        self.used, self.spans, self.bound = [], {}, collections.Counter()

    def read(self, script):
        """The calls, each a function of the code with its arguments and its named arguments."""
        try:
            tree = ast.parse(script)
            self.note(tree)
            self.statements(tree.body, {})
        except (Unforeseen, RecursionError):
            pass
        return self.calls

    def note(self, node):
        """Takes note of the names in a part of the script."""
        start, kind = len(self.used), type(node)
        if kind is ast.Name:
            self.used.append(node.id)
            if type(node.ctx) is not ast.Load:
                self.bound[node.id] += 1
        elif kind is not ast.Constant:
            if kind is ast.Set:
                self.used.append(SET)
            elif kind is ast.alias:
                self.bound[node.asname or node.name] += 1
            elif isinstance(node, BINDING):
                self.bound[node.name] += 1
            for field in node._fields:
                value = getattr(node, field)
                for each in value if type(value) is list else (value,):
                    if isinstance(each, ast.AST):
                        self.note(each)
        self.spans[node] = start, len(self.used)

    def statements(self, body, aliases):
        for statement in body:
            if isinstance(statement, (ast.Import, ast.ImportFrom)):
                self.import_(statement)
                continue
            if isinstance(statement, ast.FunctionDef) and not aliases:
                self.function(statement)
            elif not self.mentions(statement):
                continue
            elif isinstance(statement, ast.Assert) and not self.mentions(statement.msg):
                self.expression(statement.test, aliases)
            elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) and not aliases:
                self.check(statement.value)
            else:
                raise Unforeseen

    def function(self, statement):
        """A function of the script. What it does when it is called comes with the call."""
        if any(map(self.mentions, (statement.args, statement.returns, *statement.decorator_list))):
            raise Unforeseen
        if not statement.decorator_list:
            self.functions[statement.name] = statement
        if any(map(self.mentions, statement.body)):
            self.of_code.add(statement.name)

    def check(self, call):
        """A call of a function of the script with functions of the code, which it checks."""
        function = self.functions.get(getattr(call.func, 'id', None))
        if function is None or call.keywords or not all(isinstance(each, ast.Name) for each in call.args):
            raise Unforeseen
        leaves = any(isinstance(node, LEAVING) for node in ast.walk(function))
        if leaves or self.bound[function.name] > 1:
            raise Unforeseen
        takes = function.args
        if len(takes.args) != len(call.args) or takes.posonlyargs or takes.kwonlyargs or takes.vararg or takes.kwarg:
            raise Unforeseen
        aliases = {parameter.arg: given.id for parameter, given in zip(takes.args, call.args)}
        if not self.of_code.isdisjoint(aliases) or any(each in self.bound for each in aliases):
            raise Unforeseen
        self.of_code.update(aliases)
        self.statements(function.body, aliases)
        self.of_code.difference_update(aliases)

    def expression(self, node, aliases):
        """Adds the calls of an expression in the order of their evaluation."""
        if not self.mentions(node):
            return
        if isinstance(node, ast.Call):
            self.call(node, aliases)
        elif isinstance(node, (ast.Compare, ast.BoolOp)):
            # What follows the second value, or the first, is evaluated only if that decides nothing.
            parts = [node.left, *node.comparators] if isinstance(node, ast.Compare) else node.values
            sure = 2 if isinstance(node, ast.Compare) else 1
            for part in parts[:sure]:
                self.expression(part, aliases)
            if any(map(self.mentions, parts[sure:])):
                raise Unforeseen
        elif isinstance(node, (ast.BinOp, ast.UnaryOp, ast.List, ast.Tuple, ast.Subscript)):
            for part in ast.iter_child_nodes(node):
                self.expression(part, aliases)
        else:
            raise Unforeseen

    def call(self, node, aliases):
        if any(each.arg is None for each in node.keywords):
            raise Unforeseen
        is_method = isinstance(node.func, ast.Attribute)
        name = getattr(node.func.value if is_method else node.func, 'id', None)
        is_plain = name in self.modules if is_method else name in PLAIN_FUNCTIONS and name not in self.bound
        if is_plain and name not in self.of_code:
            for part in (*node.args, *(each.value for each in node.keywords)):
                self.expression(part, aliases)
            return
        name = aliases.get(name, name)
        function = self.names.given.get(name)
        if is_method or about(function) is None or self.names.get(name) is not function or name in self.bound:
            raise Unforeseen
        named = {each.arg: self.literal(each.value) for each in node.keywords}
        self.calls.append((function, [self.literal(each) for each in node.args], named))

    def import_(self, statement):
        """Takes note of the names that are modules of Python from now on, or from them."""
        modules = [each.name for each in statement.names] if isinstance(statement, ast.Import) else [statement.module]
        names = {each.asname or each.name for each in statement.names}
        if not MODULES.issuperset(modules) or '*' in names:
            raise Unforeseen
        self.of_code.difference_update(names - REFLECTING)
        if isinstance(statement, ast.Import) and PLAIN_MODULES.issuperset(modules):
            self.modules.update(names)

    def literal(self, node):
        if self.names_in(node):
            raise Unforeseen
        try:
            return ast.literal_eval(node)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            raise Unforeseen from None

    def mentions(self, node):
        """Whether a part of the script can reach the code."""
        return node is not None and not self.of_code.isdisjoint(self.names_in(node))

    def names_in(self, node):
        """The names in a part of the script."""
        return self.used[slice(*self.spans[node])]


class Unforeseen(Exception):
    """What comes next depends on the answers of the code, or on more than is looked at here."""
