import { afterAll, beforeAll, describe } from 'vitest'
import { channelSpec } from './channel-spec.ts'
import { openStage, type Stage } from './stage.ts'

/** Five pairs run at once. */
const SLOTS = { env: { ISOPOD_SLOTS: '10' } }
let one: Stage
let other: Stage

beforeAll(async () => {
  one = await openStage(SLOTS)
  other = await openStage(SLOTS)
})

afterAll(async () => {
  await one?.close()
  await other?.close()
})

// promise: no-channels
describe('two jobs of one worker at the same time try to', () => {
  channelSpec(() => ({ sender: one, receiver: one }))
})

// promise: no-channels
describe('two jobs of two workers at the same time try to', () => {
  channelSpec(() => ({ sender: one, receiver: other }))
})
