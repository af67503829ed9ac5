/**
 * A pattern in source code that ordinary programs do not contain, and the reason that is reported. Ending the process is no sign:
 * a run that ends before its tests has no report, so it does not pass, and is marked for that.
 */
interface Sign {
  readonly pattern: RegExp
  readonly reason: string
}

const SOURCE = 'looks for the source of its tests'
const INSIDE = 'inspects the interpreter that runs its tests'
const ENDING = 'changes how the process that runs its tests ends'
const TESTS = 'interferes with the assertions or framework of its tests'

const ANY_LANGUAGE: readonly Sign[] = [
  { pattern: /\/proc\/(self|thread-self|[0-9]+|\$|"|')/, reason: 'inspects processes (/proc)' },
  { pattern: /isopod/i, reason: 'mentions the harness by name' },
]

const BY_LANGUAGE: Readonly<Record<string, readonly Sign[]>> = {
  python: [
    {
      pattern:
        /\b_getframe|\bf_back\b|\btb_frame\b|\b_current_frames\b|\binspect\s*\.\s*(stack|currentframe|trace)\b/,
      reason: INSIDE,
    },
    {
      pattern:
        /\bgc\s*\.\s*(get_|freeze|callbacks)|\b_?ctypes\b|\b__builtins__\b|\bsettrace\b|\bsetprofile\b/,
      reason: INSIDE,
    },
    {
      pattern: /\bimport\s+builtins\b|\bfrom\s+builtins\b|\bimport\s+__main__\b/,
      reason: 'accesses the built-in functions',
    },
    { pattern: /\bos\s*\.\s*_exit\b|\bos\s*\.\s*abort\b/, reason: ENDING },
    // Not `sys.argv[1]`, which is the file that a program is to read.
    {
      pattern:
        /\b(open|getlines?|run_path)\s*\(\s*(__file__|sys\s*\.\s*argv\s*\[\s*0|["'][^"'\n]{0,80}\bmain\.py\b)|\bPath\s*\(\s*__file__\s*\)\s*\.\s*(read|open)/,
      reason: SOURCE,
    },
  ],
  javascript: [
    {
      pattern: /\bprocess\s*\.\s*(reallyExit|abort|kill|binding|emit)\b|\bprocess\s*\[/,
      reason: ENDING,
    },
    {
      pattern:
        /["'`](node:)?inspector\b|\b(getHeapSnapshot|writeHeapSnapshot|prepareStackTrace|runInThisContext)\b/,
      reason: INSIDE,
    },
    {
      pattern:
        /\b(open|read|require|import|createRead)\w{0,12}\s*\(\s*(__filename|["'`][^"'`\n]{0,80}\bmain\.[jt]s)\b/,
      reason: SOURCE,
    },
  ],
  bash: [
    // Not a trap that removes files, or that exits on a signal.
    {
      pattern: /\bextdebug\b|\btrap\b[^\n]{0,200}\b(DEBUG|exit\s+0\b[^\n]{0,30}\b(EXIT|ERR|RETURN|0))\b/,
      reason: ENDING,
    },
    // Not the name alone, as in `usage: $0` and `dirname "$0"`, nor awk's `$0`.
    {
      pattern:
        /(<|(^|[\s;|&("`])(cat|tac|head|tail|grep|sed|awk|cp)\s(\s*(-\w+|'[^'\n]{0,80}'|"[^"$\n]{0,80}")){0,5})\s*"?(\$\{?(0|BASH_SOURCE)\b|[\w./]{0,80}\bmain\.sh\b)/m,
      reason: SOURCE,
    },
    {
      pattern: /^[ \t]*(function\s+)?(exit|test|\[|builtin|command|unset|trap|echo|printf)\s*\(\)/m,
      reason: 'replaces built-in commands',
    },
  ],
  c: [
    {
      pattern: /#\s*define\s+(main|assert|return|if|else|while|for|exit|abort|__assert_fail)\b/,
      reason: 'redefines keywords or functions of its tests',
    },
    // In an attribute: comments of C++ speak of constructors, too.
    {
      pattern:
        /\b_Exit\b|\b_exit\b|\batexit\b|\bquick_exit\b|\bset_terminate\b|\(\s*\([^()]{0,80}\b_*(con|de)structor|\bgnu\s*::\s*_*(con|de)structor/,
      reason: ENDING,
    },
    // Not in a message with __LINE__, nor in a comment.
    {
      pattern:
        /#\s*embed\b|\bincbin\b|(open\s*\(|stream\s+\w{1,30}\s*[({]|#\s*include)\s*(__FILE__\b|"[^"\n]{0,80}\bmain\.c(pp)?")|=\s*__FILE__\b(?![^\n]{0,80}__LINE__)/,
      reason: SOURCE,
    },
    {
      pattern:
        /^[\w \t*]{0,200}\b(strcmp|strncmp|memcmp|abs|fabs|abort|exit|__assert_fail|getpid)\s*\([^;{}]{0,400}\)\s*\{/m,
      reason: 'replaces library functions',
    },
  ],
  java: [
    {
      pattern:
        /\bRuntime\b[^\n;]{0,80}\bhalt\s*\(|\.\s*halt\s*\(\s*0|\baddShutdownHook\b|\bsetDefault\w*Handler\b/,
      reason: ENDING,
    },
    { pattern: /\bset\w*AssertionStatus\b/, reason: TESTS },
  ],
  go: [{ pattern: /["`]-{0,2}test\.(run|skip|list)\b|\bfunc\s+TestMain\b/, reason: TESTS }],
  rust: [
    { pattern: /\bset_hook\b/, reason: ENDING },
    { pattern: /\bmacro_rules!\s*(assert|panic)/, reason: TESTS },
  ],
  ruby: [
    { pattern: /\bexit!(?!=)|\bat_exit\b/, reason: ENDING },
    { pattern: /\bTest::Unit\b|\bMinitest\b/, reason: TESTS },
    // Not `if __FILE__ == $0`.
    {
      pattern:
        /\b(read\w{0,10}|open|foreach|File\.new|load|binread|cat)[\s(["'#{]{1,4}(\$0|\$PROGRAM_NAME|__FILE__)\b|\bSCRIPT_LINES__\b/,
      reason: SOURCE,
    },
  ],
  php: [
    { pattern: /\bset_exception_handler\b|\bregister_shutdown_function\b/i, reason: ENDING },
    // Not `dirname(__FILE__)`.
    {
      pattern:
        /\b(file|file_get_contents|fopen|readfile|show_source|highlight_file|php_strip_whitespace|SplFileObject)\s*\(\s*__FILE__\b/i,
      reason: SOURCE,
    },
  ],
  perl: [
    { pattern: /\bCORE::GLOBAL\b|\b_exit\b|\bEND\s*\{/, reason: ENDING },
    { pattern: /\bTest::/, reason: TESTS },
    // Not `die "usage: $0"`.
    {
      pattern:
        /\bopen\b[^\n;]{0,80},\s{0,3}["']?[<\s]{0,3}(\$0|__FILE__)\b|\b(do|require|cat)\s+["']?(\$0|__FILE__)\b/,
      reason: SOURCE,
    },
  ],
  lua: [
    { pattern: /\bos\s*\.\s*exit\s*=[^=]/, reason: ENDING },
    { pattern: /\bluaunit\b/, reason: TESTS },
    { pattern: /\bdebug\s*\.\s*(get|set|sethook|upvalue)|\bdebug\s*\[/, reason: INSIDE },
  ],
  r: [
    {
      pattern: /\b(quit|identical|stopifnot|isTRUE)\s*(<-|=[^=])|\bassignInNamespace\b|\bunlockBinding\b/,
      reason: TESTS,
    },
  ],
  csharp: [
    {
      pattern: /\bEnvironment\s*\.\s*FailFast\b|\bUnhandledException\b|\bProcessExit\b/,
      reason: ENDING,
    },
    { pattern: /\b(Debug|Trace)\s*\.\s*Listeners\b(?!\s*\.\s*Add\b)|\bclass\s+Debug\b/, reason: TESTS },
  ],
  haskell: [{ pattern: /\bunsafePerformIO\b|\bexitImmediately\b/, reason: ENDING }],
  ocaml: [{ pattern: /\b_exit\b|\bat_exit\b/, reason: ENDING }],
  // Not `semaphore.signal()`.
  swift: [{ pattern: /\b(_exit|_Exit|atexit|sigaction)\s*\(|(^|[^.\w])signal\s*\(/m, reason: ENDING }],
  racket: [
    { pattern: /\bexit-handler\b|\bexecutable-yield-handler\b/, reason: ENDING },
    { pattern: /\btest-log|\bcurrent-check-/, reason: TESTS },
  ],
  d: [
    { pattern: /\b(_exit|_Exit|atexit|quick_exit)\s*\(/, reason: ENDING },
    { pattern: /UnitTester\b|\brt_options\b|\bassertHandler\b/, reason: TESTS },
  ],
}

/** Languages that have the signs of another one. */
const SIMILAR_LANGUAGE: Readonly<Record<string, string>> = {
  typescript: 'javascript',
  'c++': 'c',
  cpp: 'c',
  'go-test': 'go',
  scala: 'java',
  kotlin: 'java',
}

/**
 * Finds obvious signs of code that was written to deceive its tests. It proves nothing and decides no verdict.
 *
 * @param language name in the catalogue
 * @returns the reasons, separated by semicolons, or undefined if there are none
 */
export function detectTampering(language: string, code: string): string | undefined {
  const signs = [...ANY_LANGUAGE, ...(BY_LANGUAGE[SIMILAR_LANGUAGE[language] ?? language] ?? [])]
  const reasons = signs.filter(({ pattern }) => pattern.test(code)).map(({ reason }) => reason)
  return reasons.length === 0 ? undefined : [...new Set(reasons)].join('; ')
}
