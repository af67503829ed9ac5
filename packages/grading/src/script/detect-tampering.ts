/** A pattern in source code that an honest solution does not need, and the reason that is reported. */
interface Sign {
  readonly looks: RegExp
  readonly reason: string
}

const SOURCE = 'looks for the source of its tests'
const INSIDE = 'inspects the interpreter that runs its tests'
const ENDING = 'ends the process that runs its tests'
const TESTS = 'interferes with the assertions or framework of its tests'

const ANY_LANGUAGE: readonly Sign[] = [
  { looks: /\/proc\/(self|thread-self|[0-9]+|\$|"|')/, reason: 'inspects processes (/proc)' },
  { looks: /isopod/i, reason: 'mentions the harness by name' },
]

const BY_LANGUAGE: Readonly<Record<string, readonly Sign[]>> = {
  python: [
    {
      looks:
        /\b_getframe|\bf_back\b|\btb_frame\b|\b_current_frames\b|\binspect\s*\.\s*(stack|currentframe|trace)\b/,
      reason: INSIDE,
    },
    {
      looks: /\bgc\s*\.\s*(get_|freeze|callbacks)|\b_?ctypes\b|\b__builtins__\b|\bsettrace\b|\bsetprofile\b/,
      reason: INSIDE,
    },
    {
      looks: /\bimport\s+builtins\b|\bfrom\s+builtins\b|\bimport\s+__main__\b/,
      reason: 'accesses the built-in functions',
    },
    { looks: /\bos\s*\.\s*_exit\b|\bos\s*\.\s*abort\b/, reason: ENDING },
    { looks: /\bopen\s*\(\s*(__file__|sys\s*\.\s*argv)|\bmain\.py\b/, reason: SOURCE },
  ],
  javascript: [
    {
      looks: /\bprocess\s*\.\s*(exit|reallyExit|abort|kill|binding|emit|_)\b|\bprocess\s*\[/,
      reason: ENDING,
    },
    {
      looks: /\b(inspector|getHeapSnapshot|writeHeapSnapshot|prepareStackTrace|runInThisContext)\b/,
      reason: INSIDE,
    },
    { looks: /\breadFile\w*\s*\(\s*__filename|\bmain\.[jt]s\b/, reason: SOURCE },
  ],
  bash: [
    { looks: /\bextdebug\b|\btrap\b[^\n]{0,200}\b(exit|DEBUG)\b/, reason: ENDING },
    { looks: /\$\{?0\b|\bBASH_SOURCE\b|\bmain\.sh\b/, reason: SOURCE },
    {
      looks: /^[ \t]*(function\s+)?(exit|test|\[|builtin|command|unset|trap|echo|printf)\s*\(\)/m,
      reason: 'replaces built-in commands',
    },
  ],
  c: [
    {
      looks: /#\s*define\s+(main|assert|return|if|else|while|for|exit|abort|__assert_fail)\b/,
      reason: 'redefines keywords or functions of its tests',
    },
    {
      looks: /\b_Exit\b|\b_exit\b|\batexit\b|\bconstructor\b|\bdestructor\b|\bquick_exit\b|\bset_terminate\b/,
      reason: ENDING,
    },
    { looks: /\b__FILE__\b|\bmain\.c\b|#\s*embed\b|\bincbin\b/, reason: SOURCE },
    {
      looks:
        /^[\w \t*]{0,200}\b(strcmp|strncmp|memcmp|abs|fabs|abort|exit|__assert_fail|getpid)\s*\([^;{}]{0,400}\)\s*\{/m,
      reason: 'replaces library functions',
    },
  ],
  java: [
    {
      looks:
        /\bSystem\s*\.\s*exit\b|\bsys\s*\.\s*exit\b|\bexitProcess\b|\bhalt\s*\(|\baddShutdownHook\b|\bsetDefault\w*Handler\b/,
      reason: ENDING,
    },
    { looks: /\bset\w*AssertionStatus\b/, reason: TESTS },
  ],
  go: [
    { looks: /\b(os|syscall)\s*\.\s*Exit\b/, reason: ENDING },
    { looks: /\btest\.(run|skip|list)\b|\bfunc\s+TestMain\b/, reason: TESTS },
  ],
  rust: [
    { looks: /\bprocess\s*::\s*exit\b|\bset_hook\b/, reason: ENDING },
    { looks: /\bmacro_rules!\s*(assert|panic)/, reason: TESTS },
  ],
  ruby: [
    { looks: /\bexit\b|\bat_exit\b/, reason: ENDING },
    { looks: /\bTest::Unit\b|\bMinitest\b/, reason: TESTS },
    { looks: /\b__FILE__\b|\$0\b/, reason: SOURCE },
  ],
  php: [
    { looks: /\b(exit|die)\b|\bset_exception_handler\b|\bregister_shutdown_function\b/i, reason: ENDING },
    { looks: /\b__FILE__\b/, reason: SOURCE },
  ],
  perl: [
    { looks: /\b_?exit\b|\bEND\s*\{|\b__(END|DATA)__\b/, reason: ENDING },
    { looks: /\bTest::/, reason: TESTS },
    { looks: /\b__FILE__\b|\$0\b/, reason: SOURCE },
  ],
  lua: [
    { looks: /\bos\s*\.\s*exit\b/, reason: ENDING },
    { looks: /\bluaunit\b/, reason: TESTS },
    { looks: /\bdebug\s*\./, reason: INSIDE },
  ],
  r: [
    { looks: /\b(quit|q)\s*\(/, reason: ENDING },
    {
      looks: /\b(quit|identical|stopifnot|isTRUE)\s*(<-|=[^=])|\bassignInNamespace\b|\bunlockBinding\b/,
      reason: TESTS,
    },
  ],
  csharp: [
    {
      looks: /\bEnvironment\s*\.\s*(Exit|FailFast)\b|\bUnhandledException\b|\bProcessExit\b/,
      reason: ENDING,
    },
    { looks: /\b(Debug|Trace)\s*\.\s*Listeners\b|\bclass\s+Debug\b/, reason: TESTS },
  ],
  haskell: [{ looks: /\bexit(Success|With)\b|\bunsafePerformIO\b|\bexitImmediately\b/, reason: ENDING }],
  ocaml: [{ looks: /\b_?exit\b|\bat_exit\b/, reason: ENDING }],
  swift: [{ looks: /\b(_?exit|_Exit|atexit|signal|sigaction)\s*\(/, reason: ENDING }],
  racket: [
    { looks: /\(exit\b|\bexit-handler\b|\bexecutable-yield-handler\b/, reason: ENDING },
    { looks: /\btest-log|\bcurrent-check-/, reason: TESTS },
  ],
  d: [
    { looks: /\b(_?exit|_Exit|atexit|quick_exit)\s*\(/, reason: ENDING },
    { looks: /UnitTester\b|\brt_options\b|\bassertHandler\b/, reason: TESTS },
  ],
}
const SAME: Readonly<Record<string, string>> = {
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
  const signs = [...ANY_LANGUAGE, ...(BY_LANGUAGE[SAME[language] ?? language] ?? [])]
  const reasons = signs.filter(({ looks }) => looks.test(code)).map(({ reason }) => reason)
  return reasons.length === 0 ? undefined : [...new Set(reasons)].join('; ')
}
