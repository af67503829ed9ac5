import { describe, expect, it } from 'vitest'
import { humanEval, mbpp } from '../../../../test/support/corpora.ts'
import { languageFixtures, programsOf } from '../../../../test/support/language-fixtures.ts'
import { detectTampering } from '../../src/index.ts'

describe('the detection of tampering in a source', () => {
  it.each([
    ['python', 'import os\nos._exit(0)'],
    ['python', 'import ctypes'],
    ['python', 'import sys\nsys._getframe(1)'],
    ['python', 'open("/proc/self/mem")'],
    ['python', 'open(sys.argv[0]).read()'],
    ['python', 'print(open("./main.py").read())'],
    ['javascript', 'process . reallyExit(0)'],
    ['typescript', 'fs.readFileSync(__filename)'],
    ['javascript', "require('node:inspector')"],
    ['javascript', "process['ex' + 'it'](0)"],
    ['bash', "trap 'exit 0' EXIT"],
    ['bash', 'cat "$0"'],
    ['bash', `text=$(<"\${BASH_SOURCE[0]}")`],
    ['bash', `grep -o 'isop[^ ]*' $0`],
    ['bash', 'while read -r line; do :; done < main.sh'],
    ['bash', `trap 'case $BASH_COMMAND in *) false ;; esac' DEBUG`],
    ['c', 'fopen(__FILE__, "r")'],
    ['cpp', 'std::ifstream in(__FILE__);'],
    ['c', 'const char *name = __FILE__;'],
    ['c', '#include "main.c"'],
    ['c', '__attribute__ ((unused, __destructor__)) void f(void);'],
    ['cpp', '[[gnu::constructor]] void f();'],
    ['c', '#define assert(x) 1'],
    ['c', '__attribute__((constructor)) void f(void);'],
    ['cpp', 'std::set_terminate(f);'],
    ['kotlin', 'Runtime.getRuntime().halt(0)'],
    ['scala', 'sys.addShutdownHook { }'],
    ['go-test', 'flag.Set("test.run", "None")'],
    ['rust', 'macro_rules! assert_eq { ($($x:tt)*) => {} }'],
    ['ruby', 'at_exit { exit!(0) }'],
    ['ruby', 'puts File.read(__FILE__)'],
    ['ruby', '`cat #{$0}`'],
    ['php', '<?php echo file_get_contents(__FILE__);'],
    ['php', '<?php register_shutdown_function(fn() => 1);'],
    ['perl', 'open(my $in, "<", $0);'],
    ['perl', 'open F, "<$0";'],
    ['lua', 'os.exit = function() end'],
    ['lua', 'debug.getinfo(2)'],
    ['csharp', 'Debug.Listeners.Clear();'],
    ['haskell', 'add a b = unsafePerformIO exitSuccess'],
    ['swift', 'signal(SIGTRAP) { _ in exit(0) }'],
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
    ['python', '# main.py\nimport sys\nwith open(sys.argv[1]) as file: sys.exit(len(file.read()))'],
    ['python', 'from pathlib import Path\nhere = Path(__file__).parent'],
    [
      'javascript',
      '// main.js\nif (require.main === module) { console.log("usage: node main.js"); process.exit(0) }',
    ],
    ['javascript', 'class Inspector {} // an inspector of values'],
    ['bash', 'trap cleanup EXIT\necho "$1" "$10"'],
    ['bash', '#!/bin/bash\n# main.sh\n[ $# -gt 0 ] || { echo "usage: bash $0 <n>" >&2; exit 2; }'],
    ['bash', `cd "$(dirname "\${BASH_SOURCE[0]}")" && me=\${0##*/}`],
    ['bash', `if [[ "\${BASH_SOURCE[0]}" == "\${0}" ]]; then main "$@"; fi`],
    ['bash', `awk '$0 ~ /x/ { print $0 }' | awk "{ print \\$0 }"`],
    ['bash', `trap 'exit 130' INT\ntrap 'exit 0' TERM\ntrap 'rm -f "$file"' EXIT\nexit 0`],
    [
      'c',
      '/* main.c: gcc main.c */\n#define CHECK(x) if (!(x)) fprintf(stderr, "%s:%d\\n", __FILE__, __LINE__)',
    ],
    ['cpp', '// The default constructor\nstruct A { A(); /* (its constructor) */ ~A(); };'],
    ['java', 'class Machine { void halt() { System.exit(1); } }'],
    ['kotlin', 'import kotlin.system.exitProcess\nfun fail(): Nothing = exitProcess(1)'],
    ['go', 'for _, test := range tests { if !test.run(test.list) { os.Exit(1) } }'],
    ['rust', 'if bad { std::process::exit(1) }'],
    ['ruby', 'exit if gets.nil?\nif __FILE__ == $0\n  main\nend\nexit 1 if (code = $?.exitstatus) != 0'],
    ['ruby', 'require File.join(File.dirname(__FILE__), "x")\nabort "usage: #{$0}"'],
    ['php', '<?php if ($n < 0) { exit(1); } $here = dirname(__FILE__); die("no");'],
    ['perl', 'open(my $in, "<", $file) or die "$0: cannot open";\nexit main() unless caller;\n__END__\nText'],
    ['lua', '-- for debug. os.exit() ends it\nprint(xpcall(f, debug.traceback)) os.exit(0)'],
    ['csharp', 'Trace.Listeners.Add(listener); Environment.Exit(0);'],
    ['haskell', 'main = exitWith (ExitFailure 1)'],
    ['ocaml', 'let () = exit 0'],
    ['swift', 'done.signal(); exit(0)'],
    ['racket', '(exit 0)'],
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
    ['bash', 'trap exit '],
    ['bash', "cat ' cat -a "],
    ['ruby', 'read '],
    ['perl', 'open ,'],
    ['java', 'Runtime halt'],
    ['c', 'a\n'],
    ['c', 'abs ('],
    ['d', 'a'],
    ['python', 'open ('],
  ])('takes little time for the longest code of %s: %j', (language, piece) => {
    expect(detectTampering(language, piece.repeat(1024 * 1024))).toBeUndefined()
  })

  it('finds nothing in the programs of this repository, except for their own tests', () => {
    const programs = [...languageFixtures()].flatMap(([language, fixtures]) => {
      const all = [...programsOf(fixtures)].filter(([name]) => name !== 'libraries')
      return all.map(([, code]) => ({ language, code }))
    })
    programs.push(...[...humanEval(), ...mbpp()].map(({ code }) => ({ language: 'python', code })))
    const marked = programs.filter(({ language, code }) => detectTampering(language, code) !== undefined)
    expect(marked).toEqual([])
  })

  it('reports each reason once', () => {
    expect(detectTampering('python', 'import ctypes\nsys._getframe()\ngc.get_objects()')).toBe(
      'inspects the interpreter that runs its tests',
    )
  })
})
