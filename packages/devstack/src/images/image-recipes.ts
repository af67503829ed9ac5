/** The recipe of one language image; `deploy/images/Dockerfile` builds it. */
export interface ImageRecipe {
  /** The language's version, also the image's tag. The build fails if the installed version differs. */
  readonly version: string
  /** Description for the image's label: `Ruby 3.3 with minitest`. */
  readonly about: string
  /** The base image. @default Debian */
  readonly on?: string
  /** Debian packages; `deploy/images/NAME/setup.sh`, if there is one, runs after they are installed. */
  readonly packages: string
  /** Command that prints the version. */
  readonly versionCommand: string
}

/** The recipes of all language images. */
export const RECIPES = {
  python: {
    version: '3.13',
    about: 'Python 3.13 with numpy, pandas and dateutil',
    // These packages contain compiled byte code, which Python could not write to a read-only root file system.
    packages: 'python3 python3-dateutil python3-numpy python3-pandas',
    versionCommand: 'python3 --version',
  },
  javascript: {
    version: '24',
    about: 'Node 24 for JavaScript and TypeScript',
    packages: 'libstdc++6',
    versionCommand: 'node --version',
  },
  bash: { version: '5.2', about: 'Bash 5.2', packages: '', versionCommand: 'bash --version' },
  c: { version: '14', about: 'GCC 14', packages: 'gcc libc6-dev', versionCommand: 'gcc -dumpversion' },
  cpp: { version: '14', about: 'G++ 14', on: 'c', packages: 'g++', versionCommand: 'g++ -dumpversion' },
  java: {
    version: '21',
    about: 'Java 21 with javatuples',
    packages: 'libstdc++6 zlib1g',
    versionCommand: 'java -version',
  },
  go: { version: '1.24', about: 'Go 1.24', packages: 'golang-1.24-go', versionCommand: 'go version' },
  rust: {
    version: '1.85',
    about: 'Rust 1.85',
    on: 'c',
    packages: 'rustc libstd-rust-dev',
    versionCommand: 'rustc --version',
  },
  ruby: {
    version: '3.3',
    about: 'Ruby 3.3 with test-unit and minitest',
    packages: 'ruby ruby-minitest ruby-test-unit',
    versionCommand: 'ruby --version',
  },
  php: {
    version: '8.4',
    about: 'PHP 8.4 with mbstring',
    packages: 'php8.4-cli php8.4-mbstring',
    versionCommand: 'php --version',
  },
  perl: {
    version: '5.40',
    about: 'Perl 5.40 with Test::Deep',
    packages: 'perl libtest-deep-perl',
    versionCommand: 'perl --version',
  },
  lua: {
    version: '5.4',
    about: 'Lua 5.4 with luaunit',
    packages: 'lua5.4 lua-unit',
    versionCommand: 'lua5.4 -v',
  },
  r: { version: '4.5', about: 'R 4.5', packages: 'r-base-core', versionCommand: 'Rscript --version' },
  sqlite: {
    version: '3.46',
    about: 'SQLite 3.46',
    packages: 'sqlite3',
    versionCommand: 'sqlite3 --version',
  },
  csharp: {
    version: '6.12',
    about: 'C# on Mono 6.12',
    // setup.sh needs the C compiler, and removes it again.
    packages:
      'mono-mcs mono-runtime libmono-system-core4.0-cil libmono-system-numerics4.0-cil libmono-microsoft-csharp4.0-cil libmono-system-xml-linq4.0-cil libmono-system-json4.0-cil libmono-i18n4.0-cil gcc libc6-dev',
    versionCommand: 'mono --version',
  },
  haskell: {
    version: '9.6',
    about: 'GHC 9.6',
    on: 'c',
    packages: 'ghc',
    versionCommand: 'ghc --numeric-version',
  },
  ocaml: {
    version: '5.3',
    about: 'OCaml 5.3',
    on: 'c',
    packages: 'ocaml',
    versionCommand: 'ocamlopt -version',
  },
  scala: {
    version: '2.11',
    about: 'Scala 2.11',
    on: 'java',
    packages: '',
    versionCommand: 'java @/usr/lib/scala/compiler.args -version',
  },
  kotlin: {
    version: '1.3',
    about: 'Kotlin 1.3',
    on: 'java',
    packages: '',
    versionCommand: 'java @/usr/lib/kotlin/compiler.args -version',
  },
  swift: {
    version: '6.0',
    about: 'Swift 6.0 with Foundation',
    on: 'c',
    packages: 'gcc libc6-dev libstdc++-14-dev libedit2 libncurses6 libsqlite3-0 libxml2 zlib1g libuuid1',
    versionCommand: 'swiftc --version',
  },
  racket: {
    version: '8.16',
    about: 'Racket 8.16 with rackunit',
    packages: 'racket',
    versionCommand: 'racket --version',
  },
  d: { version: '14', about: 'GDC 14', on: 'c', packages: 'gdc', versionCommand: 'gdc -dumpversion' },
  elixir: {
    version: '1.18',
    about: 'Elixir 1.18 with ExUnit',
    on: 'erlang',
    packages: 'elixir',
    versionCommand: 'elixir --version',
  },
  erlang: {
    version: '27',
    about: 'Erlang/OTP 27 with EUnit',
    packages: 'erlang-base erlang-eunit erlang-syntax-tools',
    versionCommand: `erl -noshell -eval 'io:put_chars(erlang:system_info(otp_release)), halt().'`,
  },
  clojure: {
    version: '1.12',
    about: 'Clojure 1.12',
    on: 'java',
    packages: '',
    versionCommand: `java -cp '/usr/lib/clojure/*' clojure.main -e '(clojure-version)'`,
  },
  fortran: {
    version: '14',
    about: 'GFortran 14',
    on: 'c',
    packages: 'gfortran',
    versionCommand: 'gfortran -dumpversion',
  },
  ada: { version: '14', about: 'GNAT 14', on: 'c', packages: 'gnat', versionCommand: 'gnatmake --version' },
  pascal: {
    version: '3.2',
    about: 'Free Pascal 3.2',
    packages: 'fp-compiler fp-units-base fp-units-fcl fp-units-rtl',
    versionCommand: 'fpc -iV',
  },
  cobol: {
    version: '4.0',
    about: 'GnuCOBOL 4.0',
    on: 'c',
    packages: 'gnucobol4',
    versionCommand: 'cobc --version',
  },
  scheme: { version: '3.0', about: 'Guile 3.0', packages: 'guile-3.0', versionCommand: 'guile --version' },
  lisp: { version: '2.5', about: 'SBCL 2.5', packages: 'sbcl', versionCommand: 'sbcl --version' },
  prolog: {
    version: '9.2',
    about: 'SWI-Prolog 9.2',
    packages: 'swi-prolog-core',
    versionCommand: 'swipl --version',
  },
  octave: {
    version: '9.4',
    about: 'GNU Octave 9.4',
    packages: 'octave',
    versionCommand: 'octave-cli --version',
  },
  tcl: {
    version: '8.6',
    about: 'Tcl 8.6 with tcltest',
    packages: 'tcl8.6',
    versionCommand: `echo 'puts [info patchlevel]' | tclsh8.6`,
  },
  awk: { version: '5.2', about: 'GNU Awk 5.2', packages: 'gawk', versionCommand: 'gawk --version' },
} as const satisfies Readonly<Record<string, ImageRecipe>>
