import { type AddressRanges, addressRangesOf, coversMapped } from '@isopod/egress'
import { ConfigError, describeProblems, type NetworkProfile, networkProfilesSchema } from '@isopod/protocol'
import { readDocument } from '../document/read-document.ts'
import { AllowList, readRule } from './allow-list.ts'

/** A network profile with its compiled lists. */
export interface Egress extends Omit<NetworkProfile, 'egress' | 'allow_private'> {
  readonly name: string
  readonly allowList: AllowList
  readonly allowPrivate: AddressRanges
}

/** The network profiles of a deployment, by name. */
export type Networks = ReadonlyMap<string, Egress>

/**
 * Reads the operator's network profiles, once, when the worker starts.
 *
 * @param path a YAML or JSON file with `profiles`; undefined for none
 * @throws {ConfigError} that names the file and each wrong field
 */
export async function loadNetworks(path: string | undefined): Promise<Networks> {
  if (path === undefined) return new Map()
  return compileNetworks(await readDocument(path, 'the network profiles'), path)
}

/** Validates the data of such a file. @throws {ConfigError} */
export function compileNetworks(document: unknown, path: string): Networks {
  const parsed = networkProfilesSchema.safeParse(document)
  if (!parsed.success) {
    const problems = describeProblems(parsed.error, document)
    const sentences = problems.map(({ message }) => message.replace(/^job: /, ''))
    throw new ConfigError(`${path}: ${sentences.join('; ')}`)
  }
  const profiles = Object.entries(parsed.data.profiles)
  const useless = profiles.flatMap(([name, profile]) => uselessEntries(name, profile))
  if (useless.length > 0) throw new ConfigError(`${path}: ${useless.join('; ')}`)
  return new Map(
    profiles.map(([name, { egress, allow_private, ...rest }]) => [
      name,
      { ...rest, name, allowList: new AllowList(egress), allowPrivate: addressRangesOf(allow_private) },
    ]),
  )
}

/** Entries that are well-formed but useless, one sentence each. */
function uselessEntries(name: string, { egress, allow_private }: NetworkProfile): string[] {
  return [
    ...egress
      .filter((entry) => readRule(entry) === undefined)
      .map((entry) => `profiles.${name}.egress: ${JSON.stringify(entry)} is a target that nothing can match`),
    ...allow_private
      .filter(coversMapped)
      .map(
        (range) =>
          `profiles.${name}.allow_private: ${JSON.stringify(range)} covers ::ffff:0:0/96, which is all of IPv4; name those ranges as IPv4`,
      ),
  ]
}
