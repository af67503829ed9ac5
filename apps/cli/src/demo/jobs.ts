import type { DemoJob } from './expectation.ts'
import { GRADED_JOBS } from './graded-jobs.ts'

/** The specification's examples, verbatim. */
const DOCUMENTED: readonly DemoJob[] = [
  {
    // First, so that its five seconds overlap with the other jobs.
    name: 'endless sleep',
    job: { language: 'python', code: 'import time; time.sleep(100)', limits: { timeoutSeconds: 5 } },
    expect: {
      status: 'timeout',
      exitCode: null,
      limit: 'timeout',
      errorMessage: 'Execution timed out after 5 seconds',
    },
  },
  {
    name: 'hello',
    job: { language: 'python', code: "print('Hello, World!')" },
    expect: { status: 'success', exitCode: 0, stdout: 'Hello, World!\n', stderr: '' },
  },
  {
    name: 'divides by zero',
    job: { language: 'python', code: 'x = 1/0' },
    expect: {
      status: 'execution_error',
      exitCode: 1,
      stdout: '',
      stderr: /ZeroDivisionError: division by zero\n$/,
    },
  },
  {
    name: 'prints JSON',
    job: { language: 'javascript', code: 'console.log(JSON.stringify({a: 1, b: 2}))' },
    expect: { status: 'success', exitCode: 0, stdout: '{"a":1,"b":2}\n', stderr: '' },
  },
  {
    name: 'reads stdin',
    job: {
      language: 'python',
      code: "name = input('Enter your name: ')\nprint(f'Hello, {name}!')",
      stdin: 'Alice',
    },
    expect: { status: 'success', exitCode: 0, stdout: 'Enter your name: Hello, Alice!\n', stderr: '' },
  },
  {
    name: 'sums input_data',
    job: {
      language: 'python',
      code: 'import json\nprint(sum(input_data["nums"]))',
      inputData: { nums: [1, 2, 3] },
    },
    expect: { status: 'success', exitCode: 0, stdout: '6\n', stderr: '' },
  },
  {
    name: 'wants the network',
    job: {
      language: 'python',
      code: 'import urllib.request; urllib.request.urlopen("http://google.com")',
      limits: { timeoutSeconds: 20 },
    },
    expect: { status: 'execution_error', exitCode: 1, stdout: '', stderr: /urllib\.error\.URLError/ },
  },
]

/** Hostile programs; each must hit its own limit and no other. */
const HOSTILE: readonly DemoJob[] = [
  {
    name: 'memory bomb',
    job: {
      language: 'python',
      // Not zeros: the kernel allocates no memory for untouched zero pages.
      code: 'hoard = []\nwhile True:\n    hoard.append(b"x" * 1_000_000)',
      limits: { memoryMb: 64 },
    },
    expect: { status: 'memory_exceeded', limit: 'memory', stdout: '' },
  },
  {
    name: 'fork bomb',
    job: {
      language: 'bash',
      code: 'bomb() { bomb | bomb & }\nbomb\nwhile :; do :; done\n',
      limits: { timeoutSeconds: 2 },
    },
    expect: { status: 'timeout', exitCode: null, limit: 'timeout', processesAtMost: 100 },
  },
  {
    name: 'output flood',
    job: { language: 'python', code: 'for _ in range(10_000):\n    print("x" * 1023)' },
    expect: { status: 'success', exitCode: 0, cutTo: 102_400 },
  },
]

/** The other languages. */
const LANGUAGES: readonly DemoJob[] = [
  {
    name: 'TypeScript',
    job: {
      language: 'typescript',
      code: "enum Colour { Red = 'red' }\nconst pick: Colour = Colour.Red\nconsole.log(pick)\n",
    },
    expect: { status: 'success', exitCode: 0, stdout: 'red\n', stderr: '' },
  },
  {
    name: 'Bash',
    job: { language: 'bash', code: 'for i in 1 2 3; do echo "line $i"; done\nexit 7\n' },
    expect: { status: 'execution_error', exitCode: 7, stdout: 'line 1\nline 2\nline 3\n', stderr: '' },
  },
  {
    name: 'C, compiled',
    job: {
      language: 'c',
      code: '#include <math.h>\n#include <stdio.h>\nint main(void) { printf("%.3f\\n", sqrt(2.0)); return 0; }\n',
    },
    expect: { status: 'success', exitCode: 0, stdout: '1.414\n', stderr: '' },
  },
  {
    name: 'C, does not compile',
    job: { language: 'c', code: 'int main(void) { return missing; }\n' },
    expect: { status: 'compile_error', stdout: '', compileOutput: /missing.*undeclared/ },
  },
]

/** All jobs of the demo, in the order in which they are submitted. */
export const DEMO_JOBS: readonly DemoJob[] = [...DOCUMENTED, ...HOSTILE, ...LANGUAGES, ...GRADED_JOBS]
