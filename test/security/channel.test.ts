import { afterAll, beforeAll, describe, vi } from 'vitest'
import { SOAK } from '../support/soak.ts'
import { channelSpec } from './channel-spec.ts'
import { attacksOf } from './manifest/index.ts'
import { openStage, type Stage } from './stage.ts'

/** Pairs at once: they mostly wait for the moment at which both start. */
const PAIRS = 6
const SLOTS = { env: { ISOPOD_SLOTS: String(2 * PAIRS) } }
/**
 * Containers of two workers have no more in common than those of one, but for user ids, which each worker assigns by itself:
 * these channels depend on them.
 */
const BY_USER_ID = ['counters-of-the-user', 'files-of-memory', 'keyrings', 'signals-and-processes']
/** Where a channel is known to be open, no number of bits fails its test; the soak measures it. */
const channels = attacksOf('channel').filter(({ known }) => SOAK || known === undefined)
let one: Stage
let other: Stage

vi.setConfig({ maxConcurrency: PAIRS })

beforeAll(async () => {
  ;[one, other] = await Promise.all([openStage(SLOTS), openStage(SLOTS)])
})

afterAll(async () => {
  await one?.close()
  await other?.close()
})

// promise: no-channels
describe('two jobs of one worker at the same time try to', () => {
  channelSpec(channels, () => ({ sender: one, receiver: one }))
})

// promise: no-channels
describe('two jobs of two workers at the same time try to', () => {
  const tried = SOAK ? channels : channels.filter(({ id }) => BY_USER_ID.includes(id))
  channelSpec(tried, () => ({ sender: one, receiver: other }))
})
