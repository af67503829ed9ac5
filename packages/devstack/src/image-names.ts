/** The language images and their tags; each has a folder of its name in `deploy/images`. */
export const IMAGES = {
  python: 'isopod/python:3.13',
  javascript: 'isopod/javascript:24',
  bash: 'isopod/bash:5.2',
  c: 'isopod/c:14',
  cpp: 'isopod/cpp:14',
  java: 'isopod/java:21',
  go: 'isopod/go:1.24',
  rust: 'isopod/rust:1.85',
  ruby: 'isopod/ruby:3.3',
  php: 'isopod/php:8.4',
  perl: 'isopod/perl:5.40',
  lua: 'isopod/lua:5.4',
  r: 'isopod/r:4.5',
  sqlite: 'isopod/sqlite:3.46',
  csharp: 'isopod/csharp:6.12',
  haskell: 'isopod/haskell:9.6',
  ocaml: 'isopod/ocaml:5.3',
  scala: 'isopod/scala:2.11',
  kotlin: 'isopod/kotlin:1.3',
  swift: 'isopod/swift:6.0',
  racket: 'isopod/racket:8.16',
  d: 'isopod/d:14',
  elixir: 'isopod/elixir:1.18',
  erlang: 'isopod/erlang:27',
  clojure: 'isopod/clojure:1.12',
  fortran: 'isopod/fortran:14',
  ada: 'isopod/ada:14',
  pascal: 'isopod/pascal:3.2',
  cobol: 'isopod/cobol:4.0',
  scheme: 'isopod/scheme:3.0',
  lisp: 'isopod/lisp:2.5',
  prolog: 'isopod/prolog:9.2',
  octave: 'isopod/octave:9.4',
  tcl: 'isopod/tcl:8.6',
  awk: 'isopod/awk:5.2',
} as const

/** Name of a language image. TypeScript runs in `javascript`. */
export type ImageName = keyof typeof IMAGES

/** Names of all language images. */
export const IMAGE_NAMES = Object.keys(IMAGES) as ImageName[]

/** What set-up builds, the slowest first; all others are built when somebody asks for them. */
export const USUAL_IMAGES = ['python', 'c', 'javascript', 'bash'] as const satisfies readonly ImageName[]

/** Images that stand on another language's, whose layers they share. All others stand on Debian alone. */
const PARENTS: Readonly<Partial<Record<ImageName, ImageName>>> = {
  cpp: 'c',
  rust: 'c',
  haskell: 'c',
  ocaml: 'c',
  swift: 'c',
  d: 'c',
  fortran: 'c',
  ada: 'c',
  cobol: 'c',
  scala: 'java',
  kotlin: 'java',
  clojure: 'java',
  elixir: 'erlang',
}

/** The language image below another; undefined where it is Debian. */
export function parentOf(name: ImageName): ImageName | undefined {
  return PARENTS[name]
}

/** Whether a word is the name of a language image. */
export function isImageName(word: string): word is ImageName {
  return Object.hasOwn(IMAGES, word)
}
