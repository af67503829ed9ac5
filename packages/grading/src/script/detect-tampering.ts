/** A pattern in source code that an honest solution does not need, and the reason that is reported. */
interface Sign {
  readonly pattern: RegExp
  readonly reason: string
}

const SOURCE = 'looks for the source of its tests'
const INSIDE = 'inspects the interpreter that runs its tests'
const ENDING = 'ends the process that runs its tests'
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
    { pattern: /\bopen\s*\(\s*(__file__|sys\s*\.\s*argv)|\bmain\.py\b/, reason: SOURCE },
  ],
  javascript: [
    {
      pattern: /\bprocess\s*\.\s*(exit|reallyExit|abort|kill|binding|emit|_)\b|\bprocess\s*\[/,
      reason: ENDING,
    },
    {
      pattern: /\b(inspector|getHeapSnapshot|writeHeapSnapshot|prepareStackTrace|runInThisContext)\b/,
      reason: INSIDE,
    },
    { pattern: /\breadFile\w*\s*\(\s*__filename|\bmain\.[jt]s\b/, reason: SOURCE },
  ],
  bash: [
    { pattern: /\bextdebug\b|\btrap\b[^\n]{0,200}\b(exit|DEBUG)\b/, reason: ENDING },
    { pattern: /\$\{?0\b|\bBASH_SOURCE\b|\bmain\.sh\b/, reason: SOURCE },
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
    {
      pattern:
        /\b_Exit\b|\b_exit\b|\batexit\b|\bconstructor\b|\bdestructor\b|\bquick_exit\b|\bset_terminate\b/,
      reason: ENDING,
    },
    { pattern: /\b__FILE__\b|\bmain\.c\b|#\s*embed\b|\bincbin\b/, reason: SOURCE },
    {
      pattern:
        /^[\w \t*]{0,200}\b(strcmp|strncmp|memcmp|abs|fabs|abort|exit|__assert_fail|getpid)\s*\([^;{}]{0,400}\)\s*\{/m,
      reason: 'replaces library functions',
    },
  ],
  java: [
    {
      pattern:
        /\bSystem\s*\.\s*exit\b|\bsys\s*\.\s*exit\b|\bexitProcess\b|\bhalt\s*\(|\baddShutdownHook\b|\bsetDefault\w*Handler\b/,
      reason: ENDING,
    },
    { pattern: /\bset\w*AssertionStatus\b/, reason: TESTS },
  ],
  go: [
    { pattern: /\b(os|syscall)\s*\.\s*Exit\b/, reason: ENDING },
    { pattern: /\btest\.(run|skip|list)\b|\bfunc\s+TestMain\b/, reason: TESTS },
  ],
  rust: [
    { pattern: /\bprocess\s*::\s*exit\b|\bset_hook\b/, reason: ENDING },
    { pattern: /\bmacro_rules!\s*(assert|panic)/, reason: TESTS },
  ],
  ruby: [
    { pattern: /\bexit\b|\bat_exit\b/, reason: ENDING },
    { pattern: /\bTest::Unit\b|\bMinitest\b/, reason: TESTS },
    { pattern: /\b__FILE__\b|\$0\b/, reason: SOURCE },
  ],
  php: [
    { pattern: /\b(exit|die)\b|\bset_exception_handler\b|\bregister_shutdown_function\b/i, reason: ENDING },
    { pattern: /\b__FILE__\b/, reason: SOURCE },
  ],
  perl: [
    { pattern: /\b_?exit\b|\bEND\s*\{|\b__(END|DATA)__\b/, reason: ENDING },
    { pattern: /\bTest::/, reason: TESTS },
    { pattern: /\b__FILE__\b|\$0\b/, reason: SOURCE },
  ],
  lua: [
    { pattern: /\bos\s*\.\s*exit\b/, reason: ENDING },
    { pattern: /\bluaunit\b/, reason: TESTS },
    { pattern: /\bdebug\s*\./, reason: INSIDE },
  ],
  r: [
    { pattern: /\b(quit|q)\s*\(/, reason: ENDING },
    {
      pattern: /\b(quit|identical|stopifnot|isTRUE)\s*(<-|=[^=])|\bassignInNamespace\b|\bunlockBinding\b/,
      reason: TESTS,
    },
  ],
  csharp: [
    {
      pattern: /\bEnvironment\s*\.\s*(Exit|FailFast)\b|\bUnhandledException\b|\bProcessExit\b/,
      reason: ENDING,
    },
    { pattern: /\b(Debug|Trace)\s*\.\s*Listeners\b|\bclass\s+Debug\b/, reason: TESTS },
  ],
  haskell: [{ pattern: /\bexit(Success|With)\b|\bunsafePerformIO\b|\bexitImmediately\b/, reason: ENDING }],
  ocaml: [{ pattern: /\b_?exit\b|\bat_exit\b/, reason: ENDING }],
  swift: [{ pattern: /\b(_?exit|_Exit|atexit|signal|sigaction)\s*\(/, reason: ENDING }],
  racket: [
    { pattern: /\(exit\b|\bexit-handler\b|\bexecutable-yield-handler\b/, reason: ENDING },
    { pattern: /\btest-log|\bcurrent-check-/, reason: TESTS },
  ],
  d: [
    { pattern: /\b(_?exit|_Exit|atexit|quick_exit)\s*\(/, reason: ENDING },
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
