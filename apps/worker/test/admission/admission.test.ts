import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Admission, type Budget, MAX_PASSES, type Share } from '../../src/admission/admission.ts'

const never = new AbortController().signal
const BUDGET: Budget = { memoryMb: 1536, cpus: 2, slots: 4 }
const BIG: Share = { memoryMb: 1024, cpus: 0.5 }
const SMALL: Share = { memoryMb: 64, cpus: 0.1 }

/** Waits until the handlers of all settled promises have run. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** One execution that asks for admission; `release` is set once it is admitted. */
class Visitor {
  readonly share: Share
  readonly controller = new AbortController()
  release: (() => void) | undefined
  reason: unknown
  #stays = true

  constructor(admission: Admission, share: Share) {
    this.share = share
    admission.enter(share, this.controller.signal).then(
      (release) => {
        this.release = release
      },
      (reason) => {
        this.reason = reason
        this.#stays = false
      },
    )
  }

  get isIn(): boolean {
    return this.release !== undefined && this.#stays
  }

  get isWaiting(): boolean {
    return this.release === undefined && this.#stays
  }

  /** Releases the share, several times if asked: only the first may count. */
  leave(times = 1): void {
    for (let done = 0; done < times; done++) this.release?.()
    this.#stays = false
  }
}

describe('Admission of executions of every size, in any order', () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ enter: fc.integer({ min: 0, max: 3 }) }) },
    { weight: 3, arbitrary: fc.record({ leave: fc.nat(), times: fc.integer({ min: 1, max: 3 }) }) },
    { weight: 1, arbitrary: fc.record({ abort: fc.nat() }) },
  )
  const SIZES: readonly Share[] = [
    BIG,
    { memoryMb: 256, cpus: 0.5 },
    SMALL,
    // More CPUs than the budget has: it counts as all of them.
    { memoryMb: 64, cpus: 8 },
  ]

  it('never exceeds the budget, lets an execution be passed a bounded number of times, and admits all', async () => {
    const sequences = fc.array(step, { minLength: 20, maxLength: 120 })
    await fc.assert(
      fc.asyncProperty(sequences, async (steps) => {
        const admission = new Admission(BUDGET)
        const all: Visitor[] = []
        const passes = new Map<Visitor, number>()
        const check = async () => {
          const before = new Set(all.filter(({ isIn }) => isIn))
          await settled()
          const inside = all.filter(({ isIn }) => isIn)
          const sum = (of: (share: Share) => number) => inside.reduce((all, { share }) => all + of(share), 0)
          const memoryMb = sum((share) => share.memoryMb)
          const cpus = sum((share) => Math.min(share.cpus, BUDGET.cpus))
          expect(memoryMb).toBeLessThanOrEqual(BUDGET.memoryMb)
          expect(cpus).toBeLessThanOrEqual(BUDGET.cpus + 1e-9)
          expect(inside.length).toBeLessThanOrEqual(BUDGET.slots)
          const waiting = all.filter(({ isWaiting }) => isWaiting)
          const { use } = admission
          expect({ ...use, cpus: Math.round(use.cpus * 1000) }).toEqual({
            memoryMb,
            cpus: Math.round(cpus * 1000),
            running: inside.length,
            waiting: waiting.length,
          })
          for (const entered of inside.filter((visitor) => !before.has(visitor))) {
            for (const earlier of waiting) {
              if (all.indexOf(earlier) > all.indexOf(entered)) continue
              // Equal executions are admitted in their order of arrival.
              expect(earlier.share).not.toEqual(entered.share)
              passes.set(earlier, (passes.get(earlier) ?? 0) + 1)
              expect(passes.get(earlier)).toBeLessThanOrEqual(MAX_PASSES)
            }
          }
        }
        for (const action of steps) {
          const inside = all.filter(({ isIn }) => isIn)
          const waiting = all.filter(({ isWaiting }) => isWaiting)
          if ('enter' in action) all.push(new Visitor(admission, SIZES[action.enter] ?? BIG))
          else if ('leave' in action) inside[action.leave % inside.length]?.leave(action.times)
          else waiting[action.abort % waiting.length]?.controller.abort(new Error('cancelled'))
          await check()
        }
        // All waiting executions are admitted as the running ones end.
        for (let rounds = all.length; rounds > 0 && all.some(({ isWaiting }) => isWaiting); rounds--) {
          all.find(({ isIn }) => isIn)?.leave()
          await check()
        }
        expect(all.filter(({ isWaiting }) => isWaiting)).toEqual([])
        for (const visitor of all) visitor.leave()
        expect(admission.use).toEqual({ memoryMb: 0, cpus: 0, running: 0, waiting: 0 })
      }),
      { numRuns: 60 },
    )
  })
})

describe('an execution that waits for memory', () => {
  it('is passed by smaller executions at most MAX_PASSES times', async () => {
    const admission = new Admission(BUDGET)
    const first = new Visitor(admission, BIG)
    const second = new Visitor(admission, BIG)
    let passed = 0
    for (;;) {
      const small = new Visitor(admission, SMALL)
      await settled()
      if (small.isWaiting) break
      passed += 1
      small.leave()
    }
    expect(passed).toBe(MAX_PASSES)
    expect(second.isWaiting).toBe(true)
    first.leave()
    await settled()
    expect(second.isIn).toBe(true)
    // The small execution that had to wait is admitted next to it.
    expect(admission.use).toEqual({ memoryMb: 1088, cpus: 0.6, running: 2, waiting: 0 })
  })

  it('blocks no other execution once it is cancelled', async () => {
    const admission = new Admission({ ...BUDGET, slots: 100 })
    const held = [new Visitor(admission, BIG), new Visitor(admission, BIG)]
    for (let times = 0; times < MAX_PASSES; times++) {
      const small = new Visitor(admission, SMALL)
      await settled()
      small.leave()
    }
    const small = new Visitor(admission, SMALL)
    await settled()
    expect(small.isWaiting).toBe(true)
    const reason = new Error('cancelled')
    held[1]?.controller.abort(reason)
    await settled()
    expect(held[1]?.reason).toBe(reason)
    expect(small.isIn).toBe(true)
  })
})

it('an execution that asks for more than the budget gets all of it, alone', async () => {
  const admission = new Admission(BUDGET)
  const small = new Visitor(admission, SMALL)
  const huge = new Visitor(admission, { memoryMb: 4096, cpus: 64 })
  await settled()
  expect(huge.isWaiting).toBe(true)
  small.leave()
  await settled()
  expect(huge.isIn).toBe(true)
  expect(admission.use).toMatchObject({ memoryMb: 1536, cpus: 2 })
})

it('Admission rejects an execution whose signal is already aborted', async () => {
  const admission = new Admission(BUDGET)
  const reason = new Error('gone')
  await expect(admission.enter(SMALL, AbortSignal.abort(reason))).rejects.toBe(reason)
  expect(admission.use).toMatchObject({ running: 0, waiting: 0 })
})

it('Admission.close rejects all waiting executions and keeps the admitted ones', async () => {
  const admission = new Admission(BUDGET)
  const [inside, ...waiting] = [BIG, BIG, BIG].map((share) => new Visitor(admission, share))
  await settled()
  const reason = new Error('shutdown')
  admission.close(reason)
  await settled()
  expect(waiting.map((visitor) => visitor.reason)).toEqual([reason, reason])
  await expect(admission.enter(SMALL, never)).rejects.toBe(reason)
  expect(admission.use).toMatchObject({ running: 1, waiting: 0 })
  inside?.leave()
  expect(admission.use).toMatchObject({ memoryMb: 0, running: 0 })
})

describe('the number of jobs that a worker should hold', () => {
  it('is its slots, plus one for each job that waits while a slot is free', async () => {
    const admission = new Admission(BUDGET)
    const all = [new Visitor(admission, BIG)]
    expect(admission.wanted).toBe(4)
    for (const expected of [5, 6]) {
      all.push(new Visitor(admission, BIG))
      expect(admission.wanted).toBe(expected)
    }
    // These take the three free slots; with none left, more jobs are of no use.
    for (let times = 0; times < 3; times++) new Visitor(admission, SMALL)
    expect(admission.use.running).toBe(4)
    expect(admission.wanted).toBe(4)
  })

  it('does not grow for waiting jobs if no CPU is left for another job', async () => {
    const admission = new Admission(BUDGET)
    for (let times = 0; times < 3; times++) new Visitor(admission, { memoryMb: 64, cpus: 1 })
    expect(admission.use).toMatchObject({ running: 2, waiting: 1 })
    expect(admission.wanted).toBe(4)
  })
})

it('Admission.wasOvercommitted tells whether two or more executions were admitted since a time', async () => {
  const admission = new Admission({ memoryMb: 100, cpus: 4, slots: 4 })
  const enter = () => admission.enter({ memoryMb: 16, cpus: 0.5 }, new AbortController().signal)
  const first = await enter()
  expect(admission.wasOvercommitted(1e9)).toBe(false)
  const second = await enter()
  expect(admission.wasOvercommitted(0)).toBe(true)
  first()
  expect([admission.wasOvercommitted(1e9), admission.wasOvercommitted(0)]).toEqual([true, false])
  second()
  expect(admission.wasOvercommitted(0)).toBe(false)
})

describe('an exclusive execution', () => {
  const enterExclusively = (admission: Admission, log: string[] = []) =>
    admission
      .enterExclusively(() => log.push('blocks'), never)
      .then((leave) => {
        log.push('runs')
        return leave
      })

  it('waits for all others, and all others wait for it', async () => {
    const admission = new Admission(BUDGET)
    const leave = await admission.enter(SMALL, never)
    const log: string[] = []
    const alone = enterExclusively(admission, log)
    await settled()
    expect({ log, waiting: admission.waiting }).toEqual({ log: [], waiting: [] })
    leave()
    const leaveAlone = await alone
    const next = new Visitor(admission, SMALL)
    await settled()
    expect(next.isWaiting).toBe(true)
    expect(admission.waiting).toHaveLength(1)
    leaveAlone()
    await settled()
    expect(next.isIn).toBe(true)
  })

  it('makes the worker take one more job for each waiting or running one, to notice the jobs it delays', async () => {
    const admission = new Admission({ ...BUDGET, slots: 1 })
    const leave = await admission.enter(SMALL, never)
    const [first, second] = [enterExclusively(admission), enterExclusively(admission)]
    expect(admission.wanted).toBe(1)
    leave()
    const leaveFirst = await first
    // The two exclusive executions, and one job that may wait for them.
    expect(admission.wanted).toBe(3)
    leaveFirst()
    const leaveSecond = await second
    expect(admission.wanted).toBe(2)
    leaveSecond()
  })

  it('is passed by later executions up to a maximum, and then blocks them', async () => {
    const admission = new Admission(BUDGET)
    const log: string[] = []
    let inside = new Visitor(admission, SMALL)
    await settled()
    void enterExclusively(admission, log)
    for (let passed = 0; passed < MAX_PASSES; passed++) {
      expect(log).toEqual([])
      const next = new Visitor(admission, SMALL)
      await settled()
      expect(next.isIn).toBe(true)
      inside.leave()
      inside = next
    }
    expect(log).toEqual(['blocks'])
    const late = new Visitor(admission, SMALL)
    await settled()
    expect(late.isWaiting).toBe(true)
    inside.leave()
    await settled()
    expect({ log, late: late.isWaiting }).toEqual({ log: ['blocks', 'runs'], late: true })
  })
})
