import { type StdioOptions, spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createLogger, type LoggerOptions } from '../src/logger.ts'

/** A logger that records its lines. */
function recorded(options: Partial<LoggerOptions> = {}) {
  const lines: Record<string, unknown>[] = []
  const destination = {
    write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  }
  return { lines, logger: createLogger({ name: 'isopod-test', destination, ...options }) }
}

describe('createLogger', () => {
  it('writes one JSON object per line, with name, level as a word and time', () => {
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

  it('removes programs, their input and their output', () => {
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

  it('removes secrets, and credentials in URLs', () => {
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

  it('keeps class, code and place of an error, and removes text that the error quotes', () => {
    const { lines, logger } = recorded()
    const failed = Object.assign(new Error('quotes Alice'), {
      code: 'ECONNREFUSED',
      command: { args: ['Alice'] },
    })
    logger.error({ err: failed }, 'trouble')
    logger.error({ err: failed })
    logger.error(failed)
    logger.error(failed, 'trouble')
    logger.error({ deep: { list: [failed], error: failed } }, 'trouble')
    logger.error('trouble with %s', failed)
    logger.child({ err: failed }).error('trouble')
    for (const line of lines) expect(JSON.stringify(line)).not.toContain('Alice')
    const err = {
      type: 'Error',
      code: 'ECONNREFUSED',
      stack: expect.arrayContaining([expect.stringContaining('logger.test.ts')]),
    }
    expect(lines).toEqual([
      ...[expect.objectContaining({ err: expect.objectContaining(err), msg: 'trouble' })],
      ...[
        expect.objectContaining({ err: expect.anything() }),
        expect.objectContaining({ err: expect.anything() }),
      ],
      expect.objectContaining({ err: expect.anything(), msg: 'trouble' }),
      expect.objectContaining({
        deep: { list: [expect.anything()], error: expect.objectContaining({ type: 'Error' }) },
      }),
      expect.objectContaining({ msg: 'trouble with Error' }),
      expect.objectContaining({ err: expect.objectContaining({ type: 'Error' }) }),
    ])
  })

  it('keeps the message of an error that is known not to quote a job', () => {
    const { lines, logger } = recorded({
      publicMessage: (error) => (error instanceof RangeError ? error.message : undefined),
    })
    logger.error({ err: new RangeError('public', { cause: new Error('Alice') }) }, 'trouble')
    expect(lines[0]).toMatchObject({ err: { message: 'public', cause: { type: 'Error' } } })
    expect(JSON.stringify(lines)).not.toContain('Alice')
  })

  it('limits equal warnings per minute, and reports how many it left out', () => {
    const { lines, logger } = recorded({ equalLinesPerMinute: 3 })
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      const trouble = () => logger.error({ err: new Error('x'), job: 'j' }, 'trouble')
      for (let at = 0; at < 1000; at++) trouble()
      expect(lines).toHaveLength(3)
      logger.error({ err: new TypeError('x') }, 'trouble')
      logger.warn({ err: new Error('x') }, 'trouble')
      logger.error('other trouble')
      expect(lines).toHaveLength(6)
      for (let at = 0; at < 100; at++) logger.info('ordinary')
      expect(lines).toHaveLength(106)
      vi.advanceTimersByTime(60_000)
      trouble()
      trouble()
      expect(lines.slice(106)).toMatchObject([{ suppressed: 997, msg: 'trouble' }, { msg: 'trouble' }])
      expect(lines.at(-1)).not.toHaveProperty('suppressed')
    } finally {
      vi.useRealTimers()
    }
  })

  it('keeps a message with control characters on its line', () => {
    const written: string[] = []
    const logger = createLogger({ name: 'x', destination: { write: (line) => void written.push(line) } })
    logger.info('a\n{"level":"info"}\u001b[2J')
    expect(written.join('').split('\n')).toHaveLength(2)
    expect(written.join('')).not.toContain('\u001b')
  })

  it.each(['stdout', 'stderr'] as const)(
    'writes only to %s on request, including the last line before an exit',
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

  it.for(['info', 'fatal'])('a full disk does not end a process that logs (%s)', (level, { skip }) => {
    skip(process.platform !== 'linux', 'only Linux has /dev/full')
    const source = fileURLToPath(new URL('../src/logger.ts', import.meta.url))
    const program = `
      import { createLogger } from ${JSON.stringify(source)}
      createLogger({ name: 'x' }).${level}('a line')
      process.stderr.write('survived')
      process.exit(3)`
    const full = openSync('/dev/full', 'w')
    onTestFinished(() => closeSync(full))
    const words = ['--input-type=module', '-e', program]
    const stdio: StdioOptions = ['ignore', full, 'pipe']
    const child = spawnSync(process.execPath, words, { encoding: 'utf8', stdio, timeout: 20_000 })
    expect({ status: child.status, stderr: child.stderr }).toEqual({ status: 3, stderr: 'survived' })
  })
})
