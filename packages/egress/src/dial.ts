import { once } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { type AddressRanges, listed, specialKind } from './address.ts'
import { addressesOf } from './resolve-name.ts'

/** Maximum number of addresses of one name to try, one after the other. */
const MAX_ADDRESSES = 4

/** Why there is no connection: refused by a rule, or failed on the way. */
export class DialError extends Error {
  readonly outcome: 'refused' | 'failed'

  constructor(outcome: 'refused' | 'failed', message: string, options?: ErrorOptions) {
    super(message, options)
    this.outcome = outcome
  }
}

/** Host and port to connect to. */
export interface DialTarget {
  /** Lower-case name without trailing dot, or an address in canonical form without brackets. */
  readonly host: string
  readonly port: number
}

/** Which targets are allowed, and how to resolve and abort. */
export interface DialRules {
  readonly allowPrivate: AddressRanges
  /** Resolves a name. @default the host's `/etc/hosts`, then its name servers */
  readonly resolve?: (name: string, signal: AbortSignal) => Promise<readonly string[]>
  /** Aborts the connection attempt. The error says "took too long" for a timeout signal, else the signal's reason. */
  readonly signal: AbortSignal
}

/**
 * Resolves a target on this host, checks each address, and connects to one that passed. It never resolves the name again,
 * so a different second answer of the name server has no effect.
 *
 * @throws {DialError} and nothing else
 */
export async function dial({ host, port }: DialTarget, rules: DialRules): Promise<Socket> {
  const { resolve = addressesOf } = rules
  const addresses = isIP(host) !== 0 ? [host] : await resolve(host, rules.signal)
  if (rules.signal.aborted) throw new DialError('failed', whyEnded(rules.signal, 'resolving the name'))
  if (addresses.length === 0) throw new DialError('failed', 'the name cannot be resolved')
  const own = ownAddresses()
  const kinds = addresses.map((address) => refusal(address, rules.allowPrivate, own))
  const passed = addresses.filter((_, index) => kinds[index] === undefined)
  if (passed.length === 0) throw new DialError('refused', `the address is ${kinds[0] ?? 'not known'}`)
  let last: unknown
  for (const address of passed.slice(0, MAX_ADDRESSES)) {
    try {
      return await open(address, port, rules.signal)
    } catch (error) {
      last = error
    }
  }
  const reason = rules.signal.aborted ? whyEnded(rules.signal, 'connecting') : 'it cannot be connected to'
  throw new DialError('failed', reason, { cause: last })
}

function whyEnded(signal: AbortSignal, doing: string): string {
  const reason: unknown = signal.reason
  return reason instanceof Error && reason.name !== 'TimeoutError' ? reason.message : `${doing} took too long`
}

function refusal(address: string, allowPrivate: AddressRanges, own: ReadonlySet<string>): string | undefined {
  if (listed(allowPrivate, address)) return undefined
  return specialKind(address) ?? (own.has(address) ? "this host's own" : undefined)
}

/** Read for each call, because interfaces come and go. */
function ownAddresses(): ReadonlySet<string> {
  return new Set(
    Object.values(networkInterfaces()).flatMap((list = []) => list.map(({ address }) => address)),
  )
}

async function open(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  const socket = connect({ host, port, allowHalfOpen: true, noDelay: true })
  try {
    await once(socket, 'connect', { signal })
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}
