import { describe, expect, it } from 'vitest'
import { detectTampering } from '../../src/index.ts'

describe('the detection of tampering in a source', () => {
  it.each([
    ['python', 'import os\nos._exit(0)'],
    ['python', 'import ctypes'],
    ['python', 'import sys\nsys._getframe(1)'],
    ['python', 'open("/proc/self/mem")'],
    ['javascript', 'process.exit(0)'],
    ['typescript', 'process . exit(0)'],
    ['javascript', "process['ex' + 'it'](0)"],
    ['bash', "trap 'exit 0' EXIT"],
    ['bash', 'cat "$0"'],
    ['c', '#define assert(x) 1'],
    ['c', '__attribute__((constructor)) void f(void);'],
    ['cpp', 'std::set_terminate(f);'],
    ['kotlin', 'System.exit(0)'],
    ['go-test', 'flag.Set("test.run", "None")'],
    ['rust', 'macro_rules! assert_eq { ($($x:tt)*) => {} }'],
    ['ruby', 'at_exit { exit!(0) }'],
    ['perl', '*CORE::GLOBAL::exit = sub { 0 };'],
    ['r', 'quit <- function(...) NULL'],
    ['racket', '(exit-handler void)'],
    ['d', 'Runtime.moduleUnitTester = () => true;'],
    ['bash', '  exit() { :; }'],
    ['c', 'int\nabs(int x) { return 0; }'],
    ['c', 'static int *\tabs (void)\n{'],
    ['brainfuck', 'isopod-'],
  ])('finds a sign in %s: %s', (language, code) => {
    expect(detectTampering(language, code)).toEqual(expect.any(String))
  })

  it.each([
    ['python', 'import os, gc\ngc.collect()\nprint(os.getpid())\nexit_code = 0\ndef main(): pass'],
    ['javascript', 'process.stdout.write(String(process.argv))'],
    ['bash', 'trap cleanup EXIT\necho "$1" "$10"'],
    ['c', '#define MAX 10\nint main_loop(void) { exit(1); }\nint cabs_(int x) {\n return abs(x);\n}'],
    ['java', 'int system_exit = 0; String halt = "halt";'],
    ['go', 'import "os"\nfunc exit() { os.Stdout.Sync() }'],
    ['rust', 'assert!(x); panic!("no")'],
    ['r', 'x <- q + identical(a, b)'],
    ['d', 'unittest { assert(f() == 1); }'],
  ])('finds nothing in honest %s: %s', (language, code) => {
    expect(detectTampering(language, code)).toBeUndefined()
  })

  // A quadratic search would take minutes, during which the worker does nothing else.
  it.each([
    ['bash', '\n'],
    ['bash', 'trap '],
    ['c', 'a\n'],
    ['c', 'abs ('],
    ['d', 'a'],
    ['python', 'open ('],
  ])('takes little time for the longest code of %s: %j', (language, piece) => {
    expect(detectTampering(language, piece.repeat(1024 * 1024))).toBeUndefined()
  })

  it('reports each reason once', () => {
    expect(detectTampering('python', 'import ctypes\nsys._getframe()\ngc.get_objects()')).toBe(
      'inspects the interpreter that runs its tests',
    )
  })
})
