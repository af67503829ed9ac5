import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { sumOfChunks } from '../../examples/bullmq-flow.ts'
import { codeExecutionStep } from '../../examples/code-execution-step.ts'
import { type Gateway, startTestGateway } from '../support/gateway.ts'
import { startWorld, type World } from '../support/world.ts'

const run = promisify(execFile)
const PYTHON = '/usr/bin/python3'

let world: World
let gateway: Gateway

beforeAll(async () => {
  world = await startWorld({ workers: 0 })
  ;[gateway] = await Promise.all([startTestGateway(world), world.addWorker()])
  process.env['CODE_EXECUTION_SERVICE_URL'] = gateway.url
})

afterAll(async () => {
  delete process.env['CODE_EXECUTION_SERVICE_URL']
  await Promise.all([gateway?.close(), world?.close()])
})

function example(name: string): string {
  return fileURLToPath(new URL(`../../examples/${name}`, import.meta.url))
}

// promise: examples
describe('the example of a code step', () => {
  it('runs the code with its input', async () => {
    const step = { config: { code: 'print(sum(input_data["nums"]))', timeout: 5 } }
    expect(await codeExecutionStep(step, { nums: [1, 2, 3] })).toMatchObject({ success: true, stdout: '6\n' })
  })

  it('returns the result of a failing program, and throws when the service refuses', async () => {
    const failing = { config: { code: 'print(1 / 0)' } }
    expect(await codeExecutionStep(failing, {})).toMatchObject({
      success: false,
      exit_code: 1,
      stderr: expect.stringContaining('ZeroDivisionError'),
    })
    const wrong = codeExecutionStep({ config: { code: 'x', timeout: 600 } }, {})
    await expect(wrong).rejects.toThrow(/code execution: timeout_seconds/)
  })

  it('has a Python version that behaves the same (needs /usr/bin/python3)', async (context) => {
    context.skip(!existsSync(PYTHON), 'no /usr/bin/python3')

    const { stdout } = await run(PYTHON, [example('code_execution_step.py')])
    expect(JSON.parse(stdout)).toMatchObject({ success: true, stdout: '6\n' })
  })
})

describe('the example of a BullMQ flow', () => {
  it('runs a program for each chunk and adds up what they print', async () => {
    const prefix = `${world.prefix}-flow`
    const { redisUrl } = world
    const where = redisUrl.startsWith('redis+unix://') ? { path: redisUrl.slice(13) } : { url: redisUrl }
    const connection = { ...where, maxRetriesPerRequest: null }
    onTestFinished(async () => {
      const { Redis } = await import('ioredis')
      const redis = 'path' in where ? new Redis({ path: where.path }) : new Redis(where.url)
      const keys = await redis.keys(`${prefix}:*`)
      if (keys.length > 0) await redis.unlink(...keys)
      redis.disconnect()
    })
    const sum = await sumOfChunks([[1, 2], [3], [4, 5]], {
      connection,
      prefix,
      isopod: { url: world.redisUrl, prefix: world.prefix },
    })
    expect(sum).toBe(55)
  })
})

describe('the page of curl commands', () => {
  const page = readFileSync(example('curl.md'), 'utf8')
  const commands = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, command = '']) => command)

  it('prints what the page promises', async () => {
    const answers = await Promise.all(
      commands.map(async (command) => {
        const { stdout } = await run('bash', ['-c', command.replaceAll('http://localhost:8007', gateway.url)])
        return JSON.parse(stdout)
      }),
    )
    for (const answer of answers) expect(answer).not.toHaveProperty('detail')
    expect(answers[0]).toMatchObject({ success: true, stdout: '6\n' })
    expect(answers[1]).toMatchObject({ state: 'finished', result: { stdout: 'hello you\n' } })
    const sorted = Buffer.from('a\nb\n').toString('base64')
    expect(answers[2].result.files).toEqual({ 'sorted.txt': { content: sorted, encoding: 'base64' } })
    expect(answers[3]).toMatchObject({ id: expect.any(String) })
    expect(answers.at(-2)).toBe(3)
    expect(answers.at(-1)).toMatchObject({ state: 'finished', outcomes: { passed: 1, failed: 1 } })
  })
})
