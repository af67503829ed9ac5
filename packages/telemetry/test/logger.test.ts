import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createLogger, type LoggerOptions } from '../src/logger.ts'

/** A logger whose lines are kept. */
function recorded(options: Partial<LoggerOptions> = {}) {
  const lines: Record<string, unknown>[] = []
  const destination = {
    write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  }
  return { lines, logger: createLogger({ name: 'isopod-test', destination, ...options }) }
}

describe('createLogger', () => {
  it('writes one JSON object a line, with name, level as a word and time', () => {
    const { lines, logger } = recorded()
    logger.info({ id: 'j1' }, 'finished')
    expect(lines).toEqual([
      expect.objectContaining({ level: 'info', name: 'isopod-test', id: 'j1', msg: 'finished' }),
    ])
    expect(lines[0]?.['time']).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  })

  it('writes nothing below its level', () => {
    const { lines, logger } = recorded({ level: 'warn' })
    logger.info('quiet')
    logger.error('loud')
    expect(lines).toHaveLength(1)
  })

  it('blanks programs and what they read and print', () => {
    const { lines, logger } = recorded()
    logger.info({
      code: 'print(1)',
      job: { id: 'j1', code: 'secret()', stdin: 'Alice' },
      result: { stdout: 'x' },
    })
    expect(lines[0]).toMatchObject({
      code: '[redacted]',
      job: { id: 'j1', code: '[redacted]', stdin: '[redacted]' },
      result: { stdout: '[redacted]' },
    })
  })

  it('blanks secrets, and credentials in URLs', () => {
    const { lines, logger } = recorded()
    logger.info({
      token: 't',
      config: { password: 'p' },
      redisUrl: 'rediss://me:p@ss@host:6379/0',
      url: 'a@b',
    })
    expect(lines[0]).toMatchObject({
      token: '[redacted]',
      config: { password: '[redacted]' },
      redisUrl: 'rediss://[redacted]@host:6379/0',
      url: 'a@b',
    })
  })

  it('keeps the code of an error', () => {
    const { lines, logger } = recorded()
    logger.error({ err: Object.assign(new Error('no'), { code: 'ECONNREFUSED' }) })
    expect(lines[0]).toMatchObject({ err: { message: 'no', code: 'ECONNREFUSED' } })
  })

  it('keeps a message with control characters on its line', () => {
    const written: string[] = []
    const logger = createLogger({ name: 'x', destination: { write: (line) => void written.push(line) } })
    logger.info('a\n{"level":"info"}\u001b[2J')
    expect(written.join('').split('\n')).toHaveLength(2)
    expect(written.join('')).not.toContain('\u001b')
  })

  it.each(['stdout', 'stderr'] as const)(
    'writes to %s alone when asked, up to the last line before an exit',
    (stream) => {
      const source = fileURLToPath(new URL('../src/logger.ts', import.meta.url))
      const program = `
      import { createLogger } from ${JSON.stringify(source)}
      createLogger({ name: 'x', destination: ${JSON.stringify(stream)} }).info('last words')
      process.exit(3)`
      const child = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })
      expect(child.status).toBe(3)
      expect(child[stream]).toContain('last words')
      expect(child[stream === 'stdout' ? 'stderr' : 'stdout']).toBe('')
    },
  )
})
