import type { Entry } from '../attack.ts'

const TRUTH = ['result'] as const

/**
 * Programs that want to be judged better than they are. Until tests have a harness of their own, the promise is that the
 * result tells exactly what happened: status, exit code, streams.
 */
export const GRADER_CAPTURES: readonly Entry[] = [
  {
    program: 'leave-before-the-asserts.py',
    tries: 'end with 0 before the asserts',
    source: 'SWE-bench, 2026: os._exit(0)',
    must: { status: 'success', exitCode: 0, stdout: 'PASSED\n' },
    proof: TRUTH,
  },
  {
    program: 'change-the-exit-code.py',
    tries: 'turn a failure into 0 in an exit handler',
    source: 'own',
    must: { status: 'success', exitCode: 0, stdout: '' },
    proof: TRUTH,
  },
  {
    program: 'print-in-the-name-of-others.py',
    tries: 'replace print, so that others say PASSED',
    source: 'Aider, 2026',
    must: { status: 'execution_error', exitCode: 1, stdout: 'PASSED\n' },
    proof: TRUTH,
  },
  {
    program: 'forged-verdict.sh',
    tries: 'print verdicts in the formats of well-known graders',
    source: 'terminal-bench, 2026: a forged «PASSED» line',
    must: { status: 'execution_error', exitCode: 41 },
    proof: TRUTH,
  },
  {
    program: 'fail-while-dying.py',
    tries: 'leave with 0 from a destructor and from the hook of exceptions',
    source: 'own',
    must: { status: 'success', exitCode: 0, stdout: '' },
    proof: TRUTH,
  },
  {
    program: 'trace-the-grader.py',
    tries: 'see the exception of a check before the check does',
    source: 'own',
    must: { status: 'success', exitCode: 0, stdout: '' },
    proof: TRUTH,
  },
  {
    program: 'plant-modules.py',
    tries: 'plant modules that a later Python would load',
    source: 'SWE-bench: conftest.py',
    must: { status: 'execution_error', exitCode: 5, stdout: '' },
    proof: ['engine', 'result'],
  },
  {
    program: 'shadowed-by-files.py',
    tries: 'bring a sitecustomize.py and a conftest.py along as files of the job',
    source: 'SWE-bench: conftest.py',
    files: {
      'sitecustomize.py': { content: 'raise SystemExit(0)\n', encoding: 'utf8' },
      'conftest.py': { content: 'raise SystemExit(0)\n', encoding: 'utf8' },
      'pyvenv.cfg': { content: 'home = /workspace\n', encoding: 'utf8' },
    },
    must: { status: 'execution_error', exitCode: 5, stdout: '[1]\n' },
    proof: TRUTH,
  },
  {
    program: 'leave-a-preload.c',
    tries: 'have a library of its own loaded into every later process',
    source: 'own',
    must: { status: 'execution_error', exitCode: 5, stdout: '' },
    proof: ['engine', 'result'],
  },
  {
    program: 'overwrite-own-binary.c',
    tries: 'replace the compiled program for the next run',
    source: 'own',
    must: { status: 'execution_error', exitCode: 5, stdout: 'the second one would pass\n' },
    proof: TRUTH,
  },
  {
    program: 'leave-before-main.c',
    tries: 'end with 0 before main',
    source: 'own',
    must: { status: 'success', exitCode: 0, stdout: 'PASSED\n' },
    proof: TRUTH,
  },
  {
    program: 'exit-in-many-ways.js',
    tries: 'replace every way in which Node ends',
    source: 'own',
    must: { status: 'execution_error', signal: 'SIGKILL' },
    proof: TRUTH,
  },
  {
    program: 'patch-the-assertions.js',
    tries: 'replace the functions that would judge it',
    source: 'own',
    must: { status: 'execution_error', exitCode: 5, stdout: 'PASSED\n' },
    proof: TRUTH,
  },
  {
    program: 'overwrite-the-hooks.js',
    tries: 'replace the hook that lays out its input',
    source: 'own',
    must: { status: 'execution_error', exitCode: 5, stdout: '' },
    proof: TRUTH,
  },
  {
    program: 'trap-the-end.sh',
    tries: 'turn a failure into 0 in a trap',
    source: 'own',
    must: { status: 'success', exitCode: 0, stdout: '' },
    proof: TRUTH,
  },
  {
    program: 'shadow-the-commands.sh',
    tries: 'put commands of its own before those of the image',
    source: 'own',
    must: { status: 'execution_error', exitCode: 5, stdout: '' },
    proof: ['engine', 'result'],
  },
  {
    program: 'look-like-a-timeout.py',
    tries: 'look as if a limit or the kernel had ended it',
    source: 'go-judge #125: a memory kill reads as SIGKILL',
    must: { status: 'execution_error', signal: 'SIGKILL', limit: null },
    proof: TRUTH,
  },
  {
    program: 'look-like-a-platform-fault.sh',
    tries: 'look like a fault of the platform, and so be run again',
    source: 'SWE-bench #586',
    must: { status: 'execution_error', exitCode: 125 },
    proof: TRUTH,
  },
]
