import { z } from 'zod'
import { isSafePath } from './files.ts'
import { limitsSchema } from './limits.ts'
import { runtimeSchema } from './runtime.ts'
import { fields, flag, listOf, nameUpTo, numberBetween, textUpTo } from './schema.ts'
import { type Separation, scriptSchema } from './script.ts'
import { variablesSchema } from './variables.ts'

const command = listOf(textUpTo(4096), 64, {
  list: 'must be a list of texts',
  max: 'must be at most 64 words',
}).refine((words) => words.length > 0, { error: 'must name a program' })

/** Another name that jobs may use, for example `c++` or `c#`. */
const alias = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9+#._-]{0,31}$/, {
  error: 'must be 1 to 32 characters of a-z, A-Z, 0-9 and "+#._-", starting with a letter or digit',
})

/**
 * One entry of the catalogue. Field names have underscores because the overview document's configuration file has them
 * (`image`, `seccomp_profile`, `default_memory_mb`, `allow_network`).
 */
export const languageEntrySchema = fields({
  image: textUpTo(255).refine((image) => /^[a-zA-Z0-9][a-zA-Z0-9._/:@-]*$/.test(image), {
    error: 'must be an image reference',
  }),
  /** Shown to people and used in `name@version`, where a prefix is enough (`3` for `3.13`). */
  version: nameUpTo(32).default('latest'),
  aliases: z.array(alias, { error: 'must be a list of names' }).default([]),
  /** File name of the code in the workspace. */
  filename: z
    .string({ error: 'must be a file name' })
    .refine((name) => isSafePath(name) && !name.includes('/'), { error: 'must be a plain file name' }),
  /**
   * Argument vector of the main run. `{filename}` is the file with the code. A job's arguments replace the word `{args}`, or
   * follow at the end. No shell is involved.
   */
  command,
  /** Argument vector of the compile run, if there is one. Jobs can pass arguments if it contains the word `{args}`. */
  compile: command.optional(),
  /** Multiplies the wall-clock limit, for slow runtimes. */
  timeout_factor: numberBetween(0.1, 10).default(1),
  env: variablesSchema.default({}),
  /**
   * Files of the image that the program of the main run opens at its start, whether they exist or not. Each container opens them
   * before a job comes, because the first look-up of a name in a new container is slow.
   */
  opens_at_start: listOf(
    textUpTo(255).refine((path) => path.startsWith('/'), { error: 'must be absolute paths' }),
    128,
    { list: 'must be a list of paths', max: 'must be at most 128 paths' },
  ).default([]),
  /** Makes `input_data` a global: files below `.isopod/` and variables, used only if a job has `inputData`. */
  input_hook: fields({
    files: z.record(z.string(), textUpTo(65_536), { error: 'must be an object of texts' }).default({}),
    env: variablesSchema.default({}),
  }).optional(),
  /**
   * How to start the interpreter before the program arrives. Without `files` the main file is a pipe, and the interpreter
   * waits while it opens it.
   */
  preload: fields({
    /** Relative path → a start-up hook that waits on a descriptor; `{control}`, `{modules}`, `{forks}` are filled in. */
    files: z.record(z.string(), textUpTo(65_536), { error: 'must be an object of texts' }).default({}),
    /** Modules that the hook imports, up to and including the last one that the program names. */
    modules: listOf(
      textUpTo(64).refine((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name), {
        error: 'must be names of modules',
      }),
      16,
      { list: 'must be a list of names', max: 'must be at most 16 names' },
    ).default([]),
    /** The hook can fork for each program of a batch. */
    forks: flag().default(false),
    /** Names of top-level files that disable preload. */
    unless_files: listOf(textUpTo(255), 16, {
      list: 'must be a list of names',
      max: 'must be at most 16 names',
    }).default([]),
  }).optional(),
  /** How to append the script of a test case to the code. A language without it has no test scripts. */
  script: scriptSchema.optional(),
  /** Default limits of this language. */
  default_limits: limitsSchema.default({}),
  /** Short for `default_limits.compileSeconds`. */
  compile_timeout_seconds: numberBetween(0.1, 300).optional(),
  /** Short for `default_limits.memoryMb`. */
  default_memory_mb: numberBetween(16, 1024).optional(),
  /** OCI runtime; ignored if it isolates less than the deployment's. @default the deployment's */
  runtime: runtimeSchema.optional(),
  /** Name of a seccomp profile: `default` is the deployment's; all others refuse more. Init adds its own filter to each. */
  seccomp_profile: nameUpTo(64).default('default'),
  /** Must be false: only an operator's profile grants network access, never a language. */
  allow_network: flag()
    .refine((allowed) => !allowed, { error: 'must be false' })
    .default(false),
})

/** One entry of the catalogue, validated. */
export type LanguageEntry = z.output<typeof languageEntrySchema>

/** A catalogue entry with its name. */
export interface Language extends LanguageEntry {
  readonly name: string
}

/** The public facts about a language, for producers. */
export interface LanguageSummary {
  readonly name: string
  readonly version: string
  readonly aliases: readonly string[]
  /** Where its test scripts can run, the default first. Undefined if it has none, or if an older worker reported it. */
  readonly separations?: readonly Separation[]
  /** The required image, if the worker that reported last lacks it. */
  readonly missingImage?: string
}

/** Name and version as in a result: `python@3.13`. */
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

/** How to get an image that an engine lacks. Images of this project are built by name. */
export function imageRemedy(reference: string): string {
  const own = ownImage(reference)
  return own === undefined ? 'build or pull it' : `build it with: npm run images -- ${own}`
}

/** How to get the root of an image, which a process sandbox needs. */
export function rootRemedy(reference: string): string {
  const own = ownImage(reference)
  return own === undefined
    ? `import it with: npx isopod roots import FILE --as ${reference}`
    : `make it with: npx isopod roots make ${own} --driver process`
}

function ownImage(reference: string): string | undefined {
  return /^isopod\/([a-z0-9-]+):/.exec(reference)?.[1]
}
