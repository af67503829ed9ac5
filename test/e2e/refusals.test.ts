import { InvalidJobError, type JobInput } from '@isopod/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { redisKeys } from '../support/redis.ts'
import { startWorld, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld()
})

afterAll(async () => {
  await world?.close()
})

const file = { content: 'x' }

// promise: empty-code, unsupported-language, limits-are-limits, file-names
describe('bad input is refused with a sentence that names the field, and nothing is enqueued', () => {
  it.each<[string, unknown, RegExp]>([
    ['empty code', { code: '' }, /^Code cannot be empty$/],
    ['no code', {}, /^code: must be text, got nothing$/],
    ['code that is not text', { code: 7 }, /^code: must be text, got 7$/],
    ['5 MiB of code', { code: 'x'.repeat(5 * 1024 * 1024) }, /^code: must be at most 1 MiB/],
    [
      'an unknown language',
      { code: 'x', language: 'brainfuck' },
      /^language: "brainfuck" is not supported; the supported languages are python@3\.13, /,
    ],
    ['an unknown version', { code: 'x', language: 'python@2' }, /^language: "python@2" is not supported/],
    ['an unknown field', { code: 'x', timeout: 5 }, /^timeout: unknown field; the fields are language, code/],
    ['an unknown limit', { code: 'x', limits: { memory: 5 } }, /^limits\.memory: unknown field/],
    [
      'limit 0',
      { code: 'x', limits: { timeoutSeconds: 0 } },
      /^limits\.timeoutSeconds: must be a number from 0\.1 to 300, got 0$/,
    ],
    [
      'limit -1',
      { code: 'x', limits: { memoryMb: -1 } },
      /^limits\.memoryMb: must be a whole number from 16 to 1024, got -1$/,
    ],
    ['limit NaN', { code: 'x', limits: { cpus: Number.NaN } }, /^limits\.cpus: .* got NaN$/],
    ['limit "5"', { code: 'x', limits: { timeoutSeconds: '5' } }, /^limits\.timeoutSeconds: .* got "5"$/],
    ['limit null', { code: 'x', limits: { processes: null } }, /^limits\.processes: .* got null$/],
    ['limit 1e308', { code: 'x', limits: { diskMb: 1e308 } }, /^limits\.diskMb: .* got 1e\+308$/],
    [
      'limit Infinity',
      { code: 'x', limits: { outputBytes: Number.POSITIVE_INFINITY } },
      /^limits\.outputBytes: .* got Infinity$/,
    ],
    ['file ../x', { code: 'x', files: { '../x': file } }, /^files\.\.\.\/x: must be a relative path/],
    ['file /etc/x', { code: 'x', files: { '/etc/x': file } }, /^files\.\/etc\/x: must be a relative path/],
    ['file a\\0b', { code: 'x', files: { 'a\0b': file } }, /^files\.a\\u0000b: must be a relative path/],
    ['file $(id)', { code: 'x', files: { '$(id)': file } }, /^files\.\$\(id\): must be a relative path/],
    ['file -rf', { code: 'x', files: { '-rf': file } }, /^files\.-rf: must be a relative path/],
    [
      'file in the folder .isopod',
      { code: 'x', files: { '.isopod/sitecustomize.py': file } },
      /^files\.\.isopod/,
    ],
    ['a job that is not an object', 'print(1)', /^job: must be an object/],
    ['a cyclic object', cyclic(), /^inputData: must be JSON.*, got an object of 1 fields$/],
  ])('%s', async (_, job, sentence) => {
    const before = await jobKeys()
    const refusal = await world.client.submit(job as JobInput).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(InvalidJobError)
    expect((refusal as Error).message).toMatch(sentence)
    expect(await jobKeys()).toEqual(before)
  })

  it('all jobs of a call are refused if one is invalid, and the refusal names it', async () => {
    const before = await jobKeys()
    await expect(world.client.submitMany([{ code: 'a' }, { code: '' }])).rejects.toThrow(
      /1.*Code cannot be empty/,
    )
    expect(await jobKeys()).toEqual(before)
  })
})

describe('the worker refuses with a validation_error', () => {
  it('more processors than the host has', async () => {
    const result = await world.client.run({ code: 'print(1)', limits: { cpus: 200 } })
    expect(result).toMatchObject({
      status: 'validation_error',
      attributable: true,
      exitCode: null,
      stdout: '',
    })
    expect(result.validationErrors[0]).toMatch(
      /^limits\.cpus: must be at most \d+ on this deployment, got 200$/,
    )
  })

  it('a network that the operator has not defined', async () => {
    const result = await world.client.run({ code: 'print(1)', network: 'host' })
    expect(result.validationErrors).toEqual([
      'network: "host" is not a profile of this deployment; it has none',
    ])
  })

  it('a file that takes the place of the program', async () => {
    const result = await world.client.run({ code: 'print(1)', files: { 'main.py': file } })
    expect(result.validationErrors).toEqual([
      'files.main.py: this name is taken by the program or its input (main.py)',
    ])
  })
})

/** Keys of jobs, without the short-lived keys of workers. */
async function jobKeys(): Promise<string[]> {
  const keys = await redisKeys(world.redisUrl, `{${world.prefix}}:jobs:*`)
  return keys.filter((key) => !/:(meta|stalled-check|marker|events|pc)$/.test(key))
}

function cyclic(): unknown {
  const inputData: Record<string, unknown> = {}
  inputData['self'] = inputData
  return { code: 'x', inputData }
}
