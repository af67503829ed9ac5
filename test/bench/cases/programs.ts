import type { Program } from '../contenders/contender.ts'

/** A program that prints one line, in each language. */
export const HELLO: Readonly<Record<Program['language'], Program>> = {
  python: { language: 'python', code: 'print("hello")\n' },
  javascript: { language: 'javascript', code: 'console.log("hello")\n' },
  bash: { language: 'bash', code: 'echo hello\n' },
  c: { language: 'c', code: '#include <stdio.h>\nint main(void) { puts("hello"); }\n' },
}

/** Imports both libraries and uses each once. */
export const NUMPY_PANDAS: Program = {
  language: 'python',
  code: 'import numpy, pandas\nprint(numpy.arange(3).sum(), len(pandas.DataFrame({"a": [1, 2]})))\n',
}

/** Prints 1 MiB, including the line feed. */
export const MEBIBYTE: Program = {
  language: 'python',
  code: 'import sys\nsys.stdout.write("x" * (2**20 - 1) + "\\n")\n',
  outputBytes: 2 ** 20,
}
