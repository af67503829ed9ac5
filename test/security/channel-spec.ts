import { randomBytes } from 'node:crypto'
import type { Result } from '@isopod/client'
import { expect, it } from 'vitest'
import { RUNTIME } from '../support/runtime.ts'
import type { Attack } from './attack.ts'
import { expectContained, expectVerdict, jobOf, type Stage } from './stage.ts'

/** Seconds until both programs must run, one value per attempt, because compilers take longer on slow machines. */
const LEADS_SECONDS = RUNTIME === 'runsc' ? [6, 9, 12, 15] : [4, 6, 12, 15]
const BITS = 64
/** Even the shortest program runs for half a second after the agreed start; one that ended sooner started too late. */
const MIN_WALL_MS = 500
/** A random guess has more correct bits than this with a probability of one in ten thousand. */
const MAX_CORRECT_BITS = 47
/** The channel that is closed by giving each container its own user id. */
const PER_USER = 'counters-of-the-user'
/** The user id of all containers if the operator has configured a single one. */
const SHARED_USER_ID = 65534

/** The stages on which sender and receiver run, which can be the same. */
export interface Pair {
  readonly sender: Stage
  readonly receiver: Stage
}

/** Adds one test for each channel: of two concurrent jobs, the receiver must not print the sender's message. */
export function channelSpec(channels: readonly Attack[], pair: () => Pair): void {
  for (const attack of channels) {
    it.concurrent(`${attack.tries} (${attack.id}, ${attack.language})`, async (context) => {
      const message = balancedMessage()
      const results = await runPair(pair(), attack, message)
      const stages = [pair().sender, pair().receiver]
      const users: (number | undefined)[] = []
      for (const [index, result] of results.entries()) {
        const stage = stages[index]
        if (stage === undefined) throw new Error('a result without a stage')
        expectVerdict(result, attack, stage.host.secrets)
        users.push((await expectContained(stage, result)).user)
        expect(await stage.host.findings()).toEqual([])
      }
      const correct = receivedBits(results[1], message)
      if (attack.known !== undefined) return context.annotate(`${correct} of ${BITS} bits: ${attack.known}`)
      // Each worker assigns user ids by itself, so two workers may assign the same one.
      const shared = users[0] === users[1] && (stages[0] !== stages[1] || users[0] === SHARED_USER_ID)
      if (attack.id === PER_USER && shared) return context.skip('both containers had the same user id')
      expect(correct, results[1].stdout).toBeLessThanOrEqual(MAX_CORRECT_BITS)
    })
  }
}

/** Runs sender and receiver again until both have started in time, because otherwise they did not overlap. */
async function runPair(pair: Pair, attack: Attack, message: string): Promise<[Result, Result]> {
  let late: Result | undefined
  for (const leadSeconds of LEADS_SECONDS) {
    const results = await runOnce(pair, attack, message, leadSeconds)
    late = results.find(({ wallMs }) => (wallMs ?? 0) < MIN_WALL_MS)
    if (late === undefined) return results
  }
  throw new Error(`the pair never met: ${late?.wallMs} ms; ${late?.stderr}`)
}

async function runOnce(
  { sender, receiver }: Pair,
  attack: Attack,
  message: string,
  leadSeconds: number,
): Promise<[Result, Result]> {
  const at = `at ${Math.ceil(Date.now() / 1000) + leadSeconds}`
  const input = (role: string, reported: string) => [`role ${role}`, `message ${reported}`, at, ''].join('\n')
  return await Promise.all([
    sender.world.client.run(jobOf(attack, input('sender', message))),
    // Zeros of the same length, so that both programs get the same amount of input.
    receiver.world.client.run(jobOf(attack, input('receiver', '0'.repeat(message.length)))),
  ])
}

/** 64 random bits, half of them ones, so that a receiver that reads only zeros or only ones has few correct bits. */
function balancedMessage(): string {
  for (;;) {
    const message = randomBytes(BITS / 8).toString('hex')
    if (equalBits(message, '0'.repeat(BITS / 4)) === BITS / 2) return message
  }
}

/** The highest number of correct bits in any 16 hexadecimal digits of the output. */
function receivedBits({ stdout, stderr }: Result, message: string): number {
  const said = stdout + stderr
  if (/^GOT (?![0-9a-f]{16} by )/m.test(said) || said.includes(message)) return BITS
  return Math.max(0, ...(said.match(/[0-9a-f]{16}/g) ?? []).map((guess) => equalBits(guess, message)))
}

function equalBits(one: string, other: string): number {
  const different = BigInt(`0x${one}`) ^ BigInt(`0x${other}`)
  return BITS - [...different.toString(2)].filter((bit) => bit === '1').length
}
