import { afterAll, beforeAll, describe, vi } from 'vitest'
import { SOAK } from '../support/soak.ts'
import { channelSpec } from './channel-spec.ts'
import { attacksOf } from './manifest/index.ts'
import { openStage, type Stage } from './stage.ts'

/** Concurrent pairs. They mostly wait for the moment at which both programs start, so they need few processors. */
const PAIRS = 6
const SLOTS = { env: { ISOPOD_SLOTS: String(2 * PAIRS) } }
/**
 * Containers of two workers share no more than those of one worker, except user ids, which each worker assigns by itself.
 * These channels depend on user ids, so they are tried between two workers as well.
 */
const BY_USER_ID = ['counters-of-the-user', 'files-of-memory', 'keyrings', 'signals-and-processes']
/** A channel that is known to be open cannot fail its test, so only `npm run test:soak` measures it. */
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
