import type { Entry } from '../attack.ts'

const RESULT = ['result'] as const

/**
 * Attempts to be judged better than the program deserves. A plain job has no assertions, so the promise is only that its
 * result reports exactly what happened: status, exit code, output. test/e2e/script-cheats.test.ts attacks assertions.
 */
export const GRADER_CAPTURES: readonly Entry[] = [
  {
    program: 'leave-before-the-asserts.py',
    tries: 'end with exit code 0 before the assertions',
    source: 'SWE-bench, 2026: os._exit(0)',
    must: { status: 'success', exitCode: 0, stdout: 'PASSED\n' },
    proof: RESULT,
  },
  {
    program: 'change-the-exit-code.py',
    tries: 'turn a failure into exit code 0 in an exit handler',
    source: 'own',
    must: { status: 'success', exitCode: 0, stdout: '' },
    proof: RESULT,
  },
  {
    program: 'print-in-the-name-of-others.py',
    tries: 'replace print, so that whatever is printed reads PASSED',
    source: 'Aider, 2026',
    must: { status: 'execution_error', exitCode: 1, stdout: 'PASSED\n' },
    proof: RESULT,
  },
  {
    program: 'forged-verdict.sh',
    tries: 'print verdicts in the formats of well-known graders',
    source: 'terminal-bench, 2026: a forged "PASSED" line',
    must: { status: 'execution_error', exitCode: 41 },
    proof: RESULT,
  },
  {
    program: 'fail-while-dying.py',
    tries: 'exit with code 0 from a destructor and from the exception hook',
    source: 'own',
    must: { status: 'success', exitCode: 0, stdout: '' },
    proof: RESULT,
  },
  {
    program: 'trace-the-grader.py',
    tries: 'exit with code 0 from a trace function as soon as an assertion raises',
    source: 'own',
    must: { status: 'success', exitCode: 0, stdout: '' },
    proof: RESULT,
  },
  {
    program: 'plant-modules.py',
    tries: 'leave modules that a later run of Python would load',
    source: 'SWE-bench: conftest.py',
    must: { status: 'execution_error', exitCode: 5, stdout: '' },
    proof: ['engine', 'result'],
  },
  {
    program: 'shadowed-by-files.py',
    tries: 'change the interpreter by a sitecustomize.py and a conftest.py among the files of the job',
    source: 'SWE-bench: conftest.py',
    files: {
      'sitecustomize.py': { content: 'raise SystemExit(0)\n', encoding: 'utf8' },
      'conftest.py': { content: 'raise SystemExit(0)\n', encoding: 'utf8' },
      'pyvenv.cfg': { content: 'home = /workspace\n', encoding: 'utf8' },
    },
    must: { status: 'execution_error', exitCode: 5, stdout: '[1]\n' },
    proof: RESULT,
  },
  {
    program: 'leave-a-preload.c',
    tries: 'have its own library loaded into every later process',
    source: 'own',
    must: { status: 'execution_error', exitCode: 5, stdout: '' },
    proof: ['engine', 'result'],
  },
  {
    program: 'overwrite-own-binary.c',
    tries: 'replace the compiled program for the next run',
    source: 'own',
    must: { status: 'execution_error', exitCode: 5, stdout: 'the second one would pass\n' },
    proof: RESULT,
  },
  {
    program: 'leave-before-main.c',
    tries: 'end with exit code 0 before main',
    source: 'own',
    must: { status: 'success', exitCode: 0, stdout: 'PASSED\n' },
    proof: RESULT,
  },
  {
    program: 'exit-in-many-ways.js',
    tries: 'replace the functions with which Node ends',
    source: 'own',
    must: { status: 'execution_error', signal: 'SIGKILL' },
    proof: RESULT,
  },
  {
    program: 'patch-the-assertions.js',
    tries: 'replace the assertion functions that would judge it',
    source: 'own',
    must: { status: 'execution_error', exitCode: 5, stdout: 'PASSED\n' },
    proof: RESULT,
  },
  {
    program: 'overwrite-the-hooks.js',
    tries: 'replace the hook that prepares its input',
    source: 'own',
    must: { status: 'execution_error', exitCode: 5, stdout: '' },
    proof: RESULT,
  },
  {
    program: 'trap-the-end.sh',
    tries: 'turn a failure into exit code 0 in a trap',
    source: 'own',
    must: { status: 'success', exitCode: 0, stdout: '' },
    proof: RESULT,
  },
  {
    program: 'shadow-the-commands.sh',
    tries: 'put its own commands before those of the image in PATH',
    source: 'own',
    must: { status: 'execution_error', exitCode: 5, stdout: '' },
    proof: ['engine', 'result'],
  },
  {
    program: 'look-like-a-timeout.py',
    tries: 'kill itself with SIGKILL, so that its end looks like a limit',
    source: 'go-judge #125: a memory kill reads as SIGKILL',
    must: { status: 'execution_error', signal: 'SIGKILL', limit: null },
    proof: RESULT,
  },
  {
    program: 'look-like-a-platform-fault.sh',
    tries: 'look like a fault of the platform, to be run again',
    source: 'SWE-bench #586',
    must: { status: 'execution_error', exitCode: 125 },
    proof: RESULT,
  },
]
