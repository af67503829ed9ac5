import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'

/** Where the host's own names stand; its other sources of names (search domains, multicast) are not asked. */
const HOSTS_FILE = '/etc/hosts'
/** Low enough that a server which keeps silent on one family leaves time for the other's answer. */
const PATIENCE = { timeout: 2_000, tries: 2 }

/**
 * Resolves a name by the host's own file, else by its name servers. Not by the system's resolver, which has two of the
 * process's threads and holds each for as long as a server keeps silent: 16 such names of one job made those of all
 * others wait for 80 s.
 *
 * @param signal ends it early; what was asked of servers is called back
 * @returns IPv4 addresses first; none if there are none or nobody could say
 */
export async function addressesOf(name: string, signal: AbortSignal): Promise<string[]> {
  const known = hostsEntries(await readFile(HOSTS_FILE, 'utf8').catch(() => ''), name)
  if (known.length > 0 || signal.aborted) return known
  const resolver = new Resolver(PATIENCE)
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  signal.removeEventListener('abort', cancel)
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}

/** The addresses that the text of a hosts file has for a lower-case name, in its order. */
export function hostsEntries(text: string, name: string): string[] {
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    return names.some((one) => one.toLowerCase() === name) ? [address] : []
  })
}
