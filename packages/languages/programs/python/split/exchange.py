"""
Whether a script and the code exchange nothing but plain values, which are the same in each process. If they exchange anything
else, the worker has the verdict confirmed by a run of both in one process.
"""
import re

# Modules that compute with plain values, and the framework of tests.
COMPUTING = set('''
    bisect cmath collections copy decimal fractions functools heapq itertools json math numbers numpy operator re statistics string
    typing unittest
'''.split())
# What a script imports, and what shows more of a value than what it holds, or something of the process.
IMPORTS = re.compile(r'(?:^|[;:])[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import|import[ \t]+([^\n;#]+))', re.MULTILINE)
REVEALING = re.compile(r'''
    \bis\s+(?!(?:not\s+)?(?:None|True|False)\b) |
    \b(?:breakpoint|compile|delattr|dir|eval|exec|globals|id|input|locals|memoryview|open|setattr|std(?:in|out|err)|vars)\b |
    \b__(?!name__|main__)\w+__\b
''', re.VERBOSE)
# Questions by which a script calls a function, or that come before its first statement and after its last one.
CALLS = {'run', 'call', 'trace'}


class Exchange:
    def __init__(self):
        self.is_plain, self.functions, self.raised = True, (), 0

    def begin(self, script, given):
        """Looks at a script before it runs, and at what the code defines: name → function, or whether it is a module."""
        self.functions = {id(each) for each in given.values() if about(each) is not None}
        imported = ','.join(part for found in IMPORTS.findall(script) for part in found if part).split(',')
        modules = {each.split()[0].partition('.')[0] for each in imported if each.strip()}
        if not modules <= COMPUTING or REVEALING.search(script) or any(hasattr(builtins, name) for name in given):
            self.is_plain = False

    def note(self, name, args, writer, reader, is_answer):
        """Takes note of a question and of the answer, an exception if it is none."""
        calls = name == 'call' and id(args[0]) in self.functions
        is_plain = writer.references == calls and (reader.is_exact or not is_answer or name != 'call')
        if name not in CALLS or not is_plain or name == 'call' and not calls:
            self.is_plain = False
        self.raised += not is_answer

    def was_plain(self, end):
        """Whether it was plain until the end. An exception of the code was not, if the script went on after it."""
        return self.is_plain and (self.raised == 0 or self.raised == 1 and end == 'error')
