import { constants } from 'node:os'
import { describe, expect, it } from 'vitest'
import { signalName } from '../src/signal.ts'

describe('signalName', () => {
  it('agrees with the system', (context) => {
    context.skip(process.platform !== 'linux', 'the table is of Linux signals')

    const aliases = new Set(['SIGIOT', 'SIGPOLL', 'SIGUNUSED'])
    for (const [name, number] of Object.entries(constants.signals)) {
      if (!aliases.has(name)) expect(signalName(number)).toBe(name)
    }
  })

  it('names real-time signals by their distance and any other by its number', () => {
    expect([34, 35, 64].map(signalName)).toEqual(['SIGRTMIN', 'SIGRTMIN+1', 'SIGRTMIN+30'])
    expect([0, 32, 65, 1.5].map(signalName)).toEqual(['SIG0', 'SIG32', 'SIG65', 'SIG1.5'])
  })
})
