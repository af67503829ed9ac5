import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Architecture } from '@isopod/init'
import { ConfigError } from '@isopod/protocol'
import { parse } from 'yaml'
import type { SeccompFacts } from '../driver/driver.ts'
import { type BlockedGroup, callsOf, type SeccompDecisions } from './profile.ts'
import { DEFAULT_PROFILE, parseProfileFile } from './profile-file.ts'
import { restrictProfile } from './restrict-profile.ts'

/** Profiles that come with this code. */
const SHIPPED = fileURLToPath(new URL('../../../../deploy/seccomp/', import.meta.url))
const DIRECTORY_SETTING = 'ISOPOD_SECCOMP_PROFILES_DIR'
/** Maximum number of files that extend each other; a longer chain is a mistake. */
const MAX_DEPTH = 8

/** A seccomp profile that languages can name. */
export interface LanguageProfile extends SeccompFacts {
  /** As the engine takes it. */
  readonly json: string
}

/** What profiles are made of. */
export interface LanguageProfileSources {
  /** The deployment's profile, as JSON: what `default` means. */
  readonly base: string
  readonly decisions: SeccompDecisions
  readonly architecture: Architecture
  /** Where the operator's own files lie; they are looked for first. @default there are none */
  readonly directory?: string | undefined
}

/**
 * Loads the profiles that a catalogue names; `default` is always among them.
 *
 * @throws {ConfigError} that names profile and file: it is missing, is not a profile, or would allow what the default refuses
 */
export async function loadLanguageProfiles(
  names: readonly string[],
  sources: LanguageProfileSources,
): Promise<ReadonlyMap<string, LanguageProfile>> {
  if (sources.directory !== undefined) await refuseUnread(sources.directory)
  const profiles = new Map([[DEFAULT_PROFILE, profileOf(sources.base, new Set())]])
  for (const name of new Set(names)) {
    if (!profiles.has(name)) profiles.set(name, await loadOne(name, sources))
  }
  return profiles
}

async function loadOne(name: string, sources: LanguageProfileSources): Promise<LanguageProfile> {
  const groups: BlockedGroup[] = []
  const seen: string[] = []
  for (let next = name; next !== DEFAULT_PROFILE; ) {
    seen.push(next)
    const { text, file } = await readProfile(next, sources.directory)
    const parsed = parseProfileFile(parseYaml(text, file), file, sources.decisions)
    groups.push(...parsed.blocked)
    next = parsed.extends
    if (seen.includes(next) || seen.length > MAX_DEPTH) {
      throw new ConfigError(`${file}: extends: must lead to default, got ${[...seen, next].join(' → ')}`)
    }
  }
  const own = groups.filter(({ only }) => only?.includes(sources.architecture) ?? true)
  return profileOf(restrictProfile(sources.base, own), new Set(callsOf(own, sources.architecture)))
}

function profileOf(json: string, blocked: ReadonlySet<string>): LanguageProfile {
  return { json, blocked, digest: createHash('sha256').update(json).digest('hex') }
}

/** Refuses a missing directory, and files that are never read: languages would get a shipped profile instead of the operator's. */
async function refuseUnread(directory: string): Promise<void> {
  const names = await readdir(directory).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ConfigError(`${DIRECTORY_SETTING}: ${directory} cannot be read: ${reason}`, { cause })
  })
  for (const name of names.filter((one) => /\.ya?ml$/i.test(one))) {
    const file = join(directory, name)
    if (!name.endsWith('.yaml')) throw new ConfigError(`${file}: must end in .yaml`)
    if (name !== `${DEFAULT_PROFILE}.yaml`) continue
    throw new ConfigError(
      `${file}: must have another name: ${DEFAULT_PROFILE} is ours, or what ISOPOD_SECCOMP_PROFILE names`,
    )
  }
}

async function readProfile(name: string, directory: string | undefined) {
  const files = [directory, SHIPPED].flatMap((folder) => (folder ? [join(folder, `${name}.yaml`)] : []))
  for (const file of files) {
    try {
      return { file, text: await readFile(file, 'utf8') }
    } catch (cause) {
      if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') continue
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new ConfigError(`${file}: the seccomp profile cannot be read: ${reason}`, { cause })
    }
  }
  throw new ConfigError(
    `seccomp_profile: there is no profile ${JSON.stringify(name)}: no ${files.join(', no ')}`,
  )
}

function parseYaml(text: string, file: string): unknown {
  try {
    return parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split('\n')[0] : String(cause)
    throw new ConfigError(`${file}: must be YAML: ${reason}`, { cause })
  }
}
