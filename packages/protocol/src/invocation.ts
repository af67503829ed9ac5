import { z } from 'zod'
import { listOf, recordOf, sizeText, textUpTo, utf8Bytes } from './schema.ts'

/** Maximum number of arguments of a program or compiler. */
const MAX_ARGUMENTS = 64
/** Maximum total size of the arguments, in bytes of UTF-8. */
const MAX_ARGUMENTS_BYTES = 128 * 1024
/** Maximum number of variables of a job. */
const MAX_VARIABLES = 64
/** Maximum total size of all names and values, in bytes of UTF-8. */
const MAX_ENVIRONMENT_BYTES = 64 * 1024
const NAME_RULE = 'must have names of letters, digits and "_", at most 128, starting with a letter or "_"'
const RESERVED_RULE =
  'must not be set: the platform sets it, or it changes what the loader or an interpreter runs beside the program'

/** The kernel would cut a text at its first NUL. */
function textWithoutNul() {
  return textUpTo(4096).refine((text) => !text.includes('\0'), { error: 'must have no NUL' })
}

/** Arguments of one process, passed unchanged and without a shell. */
export const argumentsSchema = listOf(textWithoutNul(), MAX_ARGUMENTS, {
  list: 'must be a list of texts',
  max: `must be at most ${MAX_ARGUMENTS} arguments`,
}).refine((args) => args.reduce((sum, text) => sum + utf8Bytes(text), 0) <= MAX_ARGUMENTS_BYTES, {
  error: `must be at most ${sizeText(MAX_ARGUMENTS_BYTES)} together`,
})

/**
 * Variables that no job may set. Confinement does not depend on them, but the policy check does: they can make an interpreter
 * run code other than the checked source. The platform's own variables are reserved so that they stay true.
 */
const RESERVED = new RegExp(
  `^(${[
    ...['PATH', 'HOME', 'TMPDIR', 'ISOPOD_.*', '.*_PROXY'],
    // The loader and the C library.
    ...['LD_.*', 'GLIBC_TUNABLES', 'GCONV_PATH', 'OPENSSL_.*'],
    ...['BASH_.*', 'BASHOPTS', 'SHELLOPTS', 'ENV', 'PS4', 'IFS'],
    ...['PYTHON(?!(HASHSEED|IOENCODING|UTF8)$).*', 'NODE_(?!ENV$).*'],
    ...[
      '_?JAVA_.*',
      'JDK_.*',
      'CLASSPATH',
      'PERL.*',
      'RUBY.*',
      'PHP.*',
      'LUA_.*',
      'R_.*',
      'MONO_.*',
      'DOTNET_.*',
    ],
    ...[
      'ERL_.*',
      'ELIXIR_.*',
      'GUILE_.*',
      'PLT.*',
      'OCAML.*',
      'SBCL_.*',
      'SWIPL.*',
      'OCTAVE_.*',
      'TCL.*',
      'AWK.*',
    ],
  ].join('|')})$`,
  'i',
)

const variableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, { error: NAME_RULE, abort: true })
  .refine((name) => !RESERVED.test(name), { error: RESERVED_RULE })

/** Environment variables of a program: name → value. */
export const environmentSchema = recordOf(variableName, textWithoutNul(), MAX_VARIABLES, {
  object: 'must be an object of texts',
  max: `must be at most ${MAX_VARIABLES} variables`,
}).refine((env) => environmentBytes(env) <= MAX_ENVIRONMENT_BYTES, {
  error: `must be at most ${sizeText(MAX_ENVIRONMENT_BYTES)} together`,
})

function environmentBytes(env: Readonly<Record<string, string>>): number {
  return Object.entries(env).reduce((sum, [name, value]) => sum + utf8Bytes(name) + utf8Bytes(value), 0)
}
