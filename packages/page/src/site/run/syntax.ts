import { StreamLanguage, type StreamParser } from '@codemirror/language'
import type { Extension } from '@codemirror/state'

type Load = () => Promise<Extension>

/** Wraps a mode of CodeMirror 5 as an extension. */
async function stream(mode: Promise<unknown>, name: string): Promise<Extension> {
  const parser = ((await mode) as Record<string, StreamParser<unknown>>)[name]
  return parser === undefined ? [] : StreamLanguage.define(parser)
}

const clike = (name: string): Load => {
  return () => stream(import('@codemirror/legacy-modes/mode/clike'), name)
}

/** Syntax highlighting by language, loaded when the language is chosen. Other languages are shown plain. */
const SYNTAX: Readonly<Record<string, Load>> = {
  python: async () => (await import('@codemirror/lang-python')).python(),
  javascript: async () => (await import('@codemirror/lang-javascript')).javascript(),
  typescript: async () => (await import('@codemirror/lang-javascript')).javascript({ typescript: true }),
  c: async () => (await import('@codemirror/lang-cpp')).cpp(),
  cpp: async () => (await import('@codemirror/lang-cpp')).cpp(),
  java: async () => (await import('@codemirror/lang-java')).java(),
  go: async () => (await import('@codemirror/lang-go')).go(),
  'go-test': async () => (await import('@codemirror/lang-go')).go(),
  rust: async () => (await import('@codemirror/lang-rust')).rust(),
  csharp: clike('csharp'),
  kotlin: clike('kotlin'),
  scala: clike('scala'),
  bash: () => stream(import('@codemirror/legacy-modes/mode/shell'), 'shell'),
  ruby: () => stream(import('@codemirror/legacy-modes/mode/ruby'), 'ruby'),
  perl: () => stream(import('@codemirror/legacy-modes/mode/perl'), 'perl'),
  lua: () => stream(import('@codemirror/legacy-modes/mode/lua'), 'lua'),
  r: () => stream(import('@codemirror/legacy-modes/mode/r'), 'r'),
  sql: () => stream(import('@codemirror/legacy-modes/mode/sql'), 'standardSQL'),
  haskell: () => stream(import('@codemirror/legacy-modes/mode/haskell'), 'haskell'),
  ocaml: () => stream(import('@codemirror/legacy-modes/mode/mllike'), 'oCaml'),
  swift: () => stream(import('@codemirror/legacy-modes/mode/swift'), 'swift'),
  racket: () => stream(import('@codemirror/legacy-modes/mode/scheme'), 'scheme'),
  scheme: () => stream(import('@codemirror/legacy-modes/mode/scheme'), 'scheme'),
  lisp: () => stream(import('@codemirror/legacy-modes/mode/commonlisp'), 'commonLisp'),
  clojure: () => stream(import('@codemirror/legacy-modes/mode/clojure'), 'clojure'),
  erlang: () => stream(import('@codemirror/legacy-modes/mode/erlang'), 'erlang'),
  fortran: () => stream(import('@codemirror/legacy-modes/mode/fortran'), 'fortran'),
  pascal: () => stream(import('@codemirror/legacy-modes/mode/pascal'), 'pascal'),
  cobol: () => stream(import('@codemirror/legacy-modes/mode/cobol'), 'cobol'),
  octave: () => stream(import('@codemirror/legacy-modes/mode/octave'), 'octave'),
  tcl: () => stream(import('@codemirror/legacy-modes/mode/tcl'), 'tcl'),
  d: () => stream(import('@codemirror/legacy-modes/mode/d'), 'd'),
}

/** The syntax highlighting of a language; empty if there is none or it cannot be loaded. */
export async function syntaxOf(language: string): Promise<Extension> {
  const load = Object.hasOwn(SYNTAX, language) ? SYNTAX[language] : undefined
  return (await load?.().catch(() => [])) ?? []
}
