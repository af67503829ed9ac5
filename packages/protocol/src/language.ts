import { z } from 'zod'
import { isSafePath } from './files.ts'
import { limitsSchema } from './limits.ts'
import { runtimeSchema } from './runtime.ts'
import { fields, flag, listOf, nameUpTo, numberBetween, textUpTo } from './schema.ts'
import { scriptSchema } from './script.ts'

const command = listOf(textUpTo(4096), 64, {
  list: 'must be a list of texts',
  most: 'must be at most 64 words',
}).refine((words) => words.length > 0, { error: 'must name a program' })

const environment = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, { error: 'must have names of letters, digits and "_"' }),
  textUpTo(4096),
  { error: 'must be an object of texts' },
)

/** As a job may ask for it: `c++`, `c#`. */
const alias = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9+#._-]{0,31}$/, {
  error: 'must be 1 to 32 characters of a-z, A-Z, 0-9 and "+#._-", starting with a letter or digit',
})

/**
 * One entry of the catalogue. The names of the overview's configuration file are kept (`image`, `seccomp_profile`,
 * `default_memory_mb`, `allow_network`), hence the underscores.
 */
export const languageEntrySchema = fields({
  image: textUpTo(255).refine((image) => /^[a-zA-Z0-9][a-zA-Z0-9._/:@-]*$/.test(image), {
    error: 'must be an image reference',
  }),
  /** For `name@version` and for people; a prefix is enough to ask for it (`3` for `3.13`). */
  version: nameUpTo(32).default('latest'),
  aliases: z.array(alias, { error: 'must be a list of names' }).default([]),
  /** Where the code goes, relative to the workspace. */
  filename: z
    .string({ error: 'must be a file name' })
    .refine((name) => isSafePath(name) && !name.includes('/'), { error: 'must be a plain file name' }),
  /**
   * Argument vector of the main run; `{filename}` stands for the file with the code. A job's arguments come behind it, or in
   * place of the word `{args}`. No shell reads it.
   */
  command,
  /** Argument vector of the compile run, if there is one; jobs can give it arguments if it has the word `{args}`. */
  compile: command.optional(),
  /** Seconds that a compile run may take. */
  compile_timeout_seconds: numberBetween(0.1, 300).default(30),
  /** Multiplies the wall-clock limit, for runtimes that start slowly. */
  timeout_factor: numberBetween(0.1, 10).default(1),
  env: environment.default({}),
  /** What makes `input_data` a global: files below `.isopod/` and environment, used only when a job has `inputData`. */
  input_hook: fields({
    files: z.record(z.string(), textUpTo(65_536), { error: 'must be an object of texts' }).default({}),
    env: environment.default({}),
  }).optional(),
  /**
   * How its interpreter can be started before the program is there. Without `files` the main file is a pipe until then, and
   * opening it is what the interpreter waits in.
   */
  preload: fields({
    /** Relative path → a start-up hook that waits on a descriptor; `{control}`, `{modules}`, `{forks}` are filled in. */
    files: z.record(z.string(), textUpTo(65_536), { error: 'must be an object of texts' }).default({}),
    /** What the hook imports: of this list as much as is needed for the last one that the program names. */
    modules: listOf(
      textUpTo(64).refine((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name), {
        error: 'must be names of modules',
      }),
      16,
      { list: 'must be a list of names', most: 'must be at most 16 names' },
    ).default([]),
    /** The hook can stay and fork for each program of a batch. */
    forks: flag().default(false),
    /** Names of files, not below any folder, with which a program is started plainly. */
    unless_files: listOf(textUpTo(255), 16, {
      list: 'must be a list of names',
      most: 'must be at most 16 names',
    }).default([]),
  }).optional(),
  /** How a test's script is put behind the code, as one program; a language without it has no such tests. */
  script: scriptSchema.optional(),
  /** Limits of this language where a job names none. */
  default_limits: limitsSchema.default({}),
  /** Short for `default_limits.memoryMb`. */
  default_memory_mb: numberBetween(16, 1024).optional(),
  /** OCI runtime; counts where it isolates at least as well as the deployment's. @default the deployment's */
  runtime: runtimeSchema.optional(),
  /** Name of a seccomp profile: `default` is the deployment's, all others refuse more. Init lays a second filter behind each. */
  seccomp_profile: nameUpTo(64).default('default'),
  /** Only false is accepted: a network is given by an operator's profile, never by a language. */
  allow_network: flag()
    .refine((allowed) => !allowed, { error: 'must be false' })
    .default(false),
})

/** One entry of the catalogue, validated. */
export type LanguageEntry = z.output<typeof languageEntrySchema>

/** A language as everyone but its author uses it: the entry and its name. */
export interface Language extends LanguageEntry {
  readonly name: string
}

/** What producers may know of a language: enough to choose it, nothing of how it is run. */
export interface LanguageSummary {
  readonly name: string
  readonly version: string
  readonly aliases: readonly string[]
  /** The image that it needs, where the worker that said so last does not have it. */
  readonly missingImage?: string
}

/** Name and version together, as in a result: `python@3.13`. */
export function languageTag(language: LanguageSummary): string {
  return `${language.name}@${language.version}`
}

/**
 * Finds the language that a job asks for by name or alias, case-insensitively, optionally `@version` (whole or a prefix up to a dot).
 *
 * @returns the language, or undefined if the catalogue has none that fits
 */
export function findLanguage<T extends LanguageSummary>(
  languages: readonly T[],
  asked: string,
): T | undefined {
  const [name = '', version] = asked.toLowerCase().split('@', 2)
  return languages.find(
    (language) =>
      (language.name.toLowerCase() === name ||
        language.aliases.some((alias) => alias.toLowerCase() === name)) &&
      (version === undefined || `${language.version.toLowerCase()}.`.startsWith(`${version}.`)),
  )
}

/** The sentence for a language that is not in the catalogue; it lists those that are. */
export function unsupportedLanguage(languages: readonly LanguageSummary[], asked: string): string {
  const supported = languages.map(languageTag).join(', ') || 'none'
  return `language: ${JSON.stringify(asked)} is not supported; the supported languages are ${supported}`
}

/** How an image comes to an engine that lacks it. Those of this project are built by name. */
export function imageRemedy(reference: string): string {
  const own = /^isopod\/([a-z0-9-]+):/.exec(reference)?.[1]
  return own === undefined ? 'build or pull it' : `build it with: npm run images -- ${own}`
}
