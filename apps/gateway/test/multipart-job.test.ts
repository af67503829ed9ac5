import { describe, expect, it } from 'vitest'
import { parseMultipartJob } from '../src/http/multipart-job.ts'
import { RequestRefused } from '../src/http/problem.ts'

const TYPE = 'multipart/form-data; boundary=edge'
const JOB = '{"code":"x"}'

function part(name: string, content: string | Buffer, more = ''): Buffer {
  const header = `--edge\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`
  return Buffer.concat([Buffer.from(header), Buffer.from(content), Buffer.from('\r\n')])
}

function parse(...parts: readonly Buffer[]): Promise<unknown> {
  return parseMultipartJob(TYPE, Buffer.concat([...parts, Buffer.from('--edge--\r\n')]))
}

/** The fields that a refusal names. */
async function fieldsOf(parsing: Promise<unknown>): Promise<readonly string[]> {
  const error = await parsing.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof RequestRefused)) throw new Error(`not refused: ${String(error)}`)
  expect(error.status).toBe(400)
  return (error.errors ?? []).map(({ field }) => field)
}

describe('parseMultipartJob', () => {
  it('returns the job with its files, byte for byte', async () => {
    const bytes = Buffer.from([0, 255, 13, 10, 45, 45, 13, 10])
    const text = '\ufeffa\r\n--edg\u00e9\r\n'
    const job = await parse(
      part('job', '{"code":"x","files":{"own.txt":"own"}}', '; filename="j.json"\r\nContent-Type: a/b'),
      part('data/bytes.bin', bytes, '; filename="/etc/passwd"'),
      part('text.txt', text),
      part('empty', ''),
    )
    expect(job).toEqual({
      code: 'x',
      files: {
        'own.txt': 'own',
        'data/bytes.bin': { content: bytes.toString('base64'), encoding: 'base64' },
        'text.txt': { content: text, encoding: 'utf8' },
        empty: { content: '', encoding: 'utf8' },
      },
    })
    expect(await parse(part('job', JOB))).toEqual({ code: 'x' })
  })

  it('treats a file called __proto__ like any other', async () => {
    const { files } = (await parse(part('job', JOB), part('__proto__', 'x'))) as { files: object }
    expect(Object.keys(files)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(files)).toBe(Object.prototype)
  })

  it.each([
    ['headers with the names of methods', 'constructor: x\r\n\r\nx'],
    ['a header called __proto__', '__proto__: x\r\n\r\nx'],
  ])('refuses %s behind a part without a name', async (_, content) => {
    const nameless = Buffer.from('--edge\r\nContent-Disposition: form-data\r\n\r\nx\r\n')
    expect(await fieldsOf(parse(nameless, Buffer.from(`--edge\r\n${content}\r\n`)))).toEqual([])
  })

  it('refuses a part whose header does not end', async () => {
    expect(await fieldsOf(parse(part('job', JOB), Buffer.from('--edge\r\nfoo\r\n')))).toEqual([])
    expect(await fieldsOf(parse(Buffer.from('--edge\r\nfoo\r\n')))).toEqual([])
  })

  it('names the part that is missing, duplicated or invalid', async () => {
    expect(await fieldsOf(parse(part('a.txt', 'x')))).toEqual(['job'])
    expect(await fieldsOf(parse(part('job', JOB), part('job', JOB)))).toEqual(['job'])
    expect(await fieldsOf(parse(part('job', '[]')))).toEqual(['job'])
    expect(await fieldsOf(parse(part('job', JOB), part('a', '1'), part('a', '2')))).toEqual(['files.a'])
    const own = part('job', '{"code":"x","files":{"a":"own"}}')
    expect(await fieldsOf(parse(own, part('a', '2')))).toEqual(['files.a'])
    const many = Array.from({ length: 65 }, (_, index) => part(`f${index}`, ''))
    expect(await fieldsOf(parse(part('job', JOB), ...many))).toEqual(['files'])
    expect(await fieldsOf(parse(...many, part('job', JOB)))).toEqual(['files'])
  })

  it.each([
    ['a job that is not JSON', TYPE, part('job', '{'), '--edge--\r\n'],
    ['a job that is not UTF-8', TYPE, part('job', Buffer.from([0x22, 0xff, 0x22])), '--edge--\r\n'],
    ['no end', TYPE, part('job', JOB), ''],
    ['half a part', TYPE, part('job', JOB), '--edge\r\nContent-Disposition: form-data; name="a"\r\n\r\nhal'],
    [
      'a part without a name',
      TYPE,
      part('job', JOB),
      '--edge\r\nContent-Disposition: form-data\r\n\r\nx\r\n--edge--',
    ],
    [
      'a part that is not form data',
      TYPE,
      part('job', JOB),
      '--edge\r\nContent-Type: a/b\r\n\r\nx\r\n--edge--',
    ],
    ['a header without end', TYPE, part('job', JOB), `--edge\r\nX: ${'x'.repeat(100_000)}`],
    ['no part', TYPE, Buffer.from(''), '--edge--\r\n'],
    ['no boundary', 'multipart/form-data', part('job', JOB), '--edge--\r\n'],
    ['another boundary', 'multipart/form-data; boundary=other', part('job', JOB), '--edge--\r\n'],
    ['an empty body', TYPE, Buffer.from(''), ''],
  ])('refuses %s', async (_, type, first, rest) => {
    const body = Buffer.concat([first, Buffer.from(rest)])
    await expect((async () => parseMultipartJob(type, body))()).rejects.toThrow(RequestRefused)
  })
})
