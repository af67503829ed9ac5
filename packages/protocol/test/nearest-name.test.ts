import { describe, expect, it } from 'vitest'
import { nearestName } from '../src/nearest-name.ts'

const KNOWN = ['language', 'code', 'files', 'stdin', 'inputData', 'limits', 'tests', 'repeat', 'replyTo']

describe('nearestName', () => {
  it.each([
    ['langauge', 'language'],
    ['input_data', 'inputData'],
    ['INPUTDATA', 'inputData'],
    ['input', 'inputData'],
    ['lang', 'language'],
    ['file', 'files'],
    ['reply-to', 'replyTo'],
    ['sdtin', undefined],
    ['stdn', 'stdin'],
    ['colour', undefined],
    ['', undefined],
    ['x', undefined],
    ['l'.repeat(100_000), undefined],
  ])('%.20s means %s', (given, meant) => {
    expect(nearestName(given, KNOWN)).toBe(meant)
  })
})
