import { expect, it } from 'vitest'
import { halvesOf, Users } from '../../src/driver/users.ts'

const RANGE = { first: 60_000, last: 60_003, gid: 65_534 }

it('containers share no user id while others are free', () => {
  const users = new Users(RANGE)
  const taken = Array.from({ length: 4 }, () => users.take().uid)
  expect(taken.toSorted()).toEqual([60_000, 60_001, 60_002, 60_003])
})

it('user ids beyond the range are shared evenly, and are free when their last container is gone', () => {
  const users = new Users(RANGE)
  const taken = Array.from({ length: 8 }, () => users.take())
  for (const uid of [60_000, 60_001, 60_002, 60_003]) {
    expect(taken.filter((user) => user.uid === uid)).toHaveLength(2)
  }
  users.release({ uid: 60_002, gid: 65_534 })
  expect(users.take().uid).toBe(60_002)
  for (let turn = 0; turn < 2; turn++) users.release({ uid: 60_001, gid: 65_534 })
  expect([users.take().uid, users.take().uid]).toEqual([60_001, 60_001])
})

it('a range of one gives every container the same user id', () => {
  const users = new Users({ first: 1000, last: 1000, gid: 1001 })
  expect([users.take(), users.take()]).toEqual(Array(2).fill({ uid: 1000, gid: 1001 }))
})

// promise: isolation-choice
it('the halves of a range have no id in common', () => {
  expect(halvesOf(RANGE)).toEqual([
    { first: 60_000, last: 60_001, gid: 65_534 },
    { first: 60_002, last: 60_003, gid: 65_534 },
  ])
  expect(halvesOf({ first: 7, last: 8, gid: 9 })).toEqual([
    { first: 7, last: 7, gid: 9 },
    { first: 8, last: 8, gid: 9 },
  ])
  expect(() => halvesOf({ first: 7, last: 7, gid: 9 })).toThrow('cannot be divided')
})
