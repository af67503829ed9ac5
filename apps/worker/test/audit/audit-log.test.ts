import { PassThrough } from 'node:stream'
import { createLogger, type LogLevel } from '@isopod/telemetry'
import { expect, it } from 'vitest'
import { auditLog } from '../../src/audit/audit-log.ts'

const EVENT = { event: 'interrupted', job: 'j-1', attempt: 1, cause: 'cancelled' } as const

function logged(level: LogLevel): string {
  const destination = new PassThrough()
  auditLog({ logger: createLogger({ name: 'test', level, destination }), content: false })(EVENT)
  return String(destination.read() ?? '')
}

it.each<LogLevel>(['trace', 'info', 'warn', 'error', 'fatal'])(
  'auditLog writes its record at the log level %s',
  (level) => {
    expect(JSON.parse(logged(level))).toMatchObject({ audit: true, ...EVENT, msg: 'interrupted' })
  },
)

it('auditLog writes nothing at the log level silent', () => {
  expect(logged('silent')).toBe('')
})

it('auditLog appends the event to the audit stream even at the log level silent', () => {
  const kept: string[] = []
  const audit = auditLog({
    logger: createLogger({ name: 'test', level: 'silent' }),
    append: ({ event, job, json }) => kept.push(`${event} ${job} ${json()}`),
    content: false,
  })
  audit(EVENT)
  expect(kept).toEqual([`interrupted j-1 ${JSON.stringify(EVENT)}`])
})
