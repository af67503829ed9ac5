import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startTestGateway } from '../support/gateway.ts'
import { scaled } from '../support/time-factor.ts'
import { startWorld, type World } from '../support/world.ts'

let world: World
let gateway: Gateway

beforeAll(async () => {
  world = await startWorld({ workers: 0 })
  ;[gateway] = await Promise.all([startTestGateway(world), world.addWorker()])
})

afterAll(async () => {
  await Promise.all([gateway?.close(), world?.close()])
})

const BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))

/** Submits a form and waits for the result. */
async function submit(form: FormData) {
  const answer = await fetch(`${gateway.url}/v1/executions?wait=30`, { method: 'POST', body: form })
  // biome-ignore lint/suspicious/noExplicitAny: specs say what they expect of each answer.
  return { status: answer.status, body: (await answer.json()) as any }
}

function form(code: string, files: Record<string, Buffer | string> = {}): FormData {
  const form = new FormData()
  form.set('job', JSON.stringify({ language: 'bash', code }))
  for (const [path, bytes] of Object.entries(files)) form.append(path, new Blob([bytes]), 'name-on-the-disk')
  return form
}

/** Sends raw bytes until the gateway stops reading, and returns its answer. */
async function raw(head: string, body: () => Iterable<string> = () => []): Promise<string> {
  const { port } = new URL(gateway.url)
  const socket = connect(Number(port), '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk) => {
    answer += String(chunk)
  })
  socket.on('error', () => {})
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(`${head.replaceAll('\n', '\r\n')}\r\n\r\n`)
  for (const chunk of body()) {
    if (socket.destroyed) break
    if (!socket.write(chunk)) await Promise.race([new Promise((done) => socket.once('drain', done)), closed])
  }
  await closed
  return answer
}

// promise: http-files
describe('a job with files as parts of a form', () => {
  it('gets each byte of them, and its output can be downloaded byte for byte', async () => {
    const files = { 'in/all.bin': BYTES, 'a b.txt': 'text\n', __proto__file: '' }
    const { status, body } = await submit(
      form('cat in/all.bin; cat "a b.txt" >&2; ls -A __proto__file', files),
    )
    expect(status).toBe(200)
    expect(body.result.status, JSON.stringify(body.result)).toBe('success')
    const download = async (path: string) => fetch(`${gateway.url}/v1/executions/${body.id}/output/${path}`)
    const stdout = await download('stdout')
    expect(Buffer.from(await stdout.arrayBuffer())).toEqual(
      Buffer.concat([BYTES, Buffer.from('__proto__file\n')]),
    )
    expect(Object.fromEntries(stdout.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${body.id}.stdout"`,
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
    })
    expect(await (await download('stderr')).text()).toBe('text\n')
    expect(await (await download('compile')).text()).toBe('')
    expect((await download('..%2f..%2fetc')).status).toBe(400)
  })

  it('can leave files, each of which can be downloaded', async () => {
    const paths = ['out/plot.bin', 'zürich 1.txt', '__proto__']
    const body = form('mkdir out; cat in > out/plot.bin; echo z > "zürich 1.txt"; echo p > __proto__', {
      in: BYTES,
    })
    const job = JSON.parse(String(body.get('job')))
    body.set('job', JSON.stringify({ ...job, fetchFiles: [...paths, 'missing'] }))
    const { id, result } = (await submit(body)).body
    expect(result.status, JSON.stringify(result)).toBe('success')
    const download = (path: string) => fetch(`${gateway.url}/v1/executions/${id}/files/${path}`)
    const plot = await download('out/plot.bin')
    expect(Buffer.from(await plot.arrayBuffer())).toEqual(BYTES)
    expect(plot.headers.get('content-disposition')).toBe('attachment; filename="plot.bin"')
    expect(plot.headers.get('content-type')).toBe('application/octet-stream')
    const city = await download(encodeURIComponent(paths[1] ?? ''))
    expect(await city.text()).toBe('z\n')
    expect(city.headers.get('content-disposition')).toContain("filename*=UTF-8''z%C3%BCrich%201.txt")
    expect((await download('missing')).status).toBe(404)
    expect((await download('constructor')).status).toBe(404)
    expect((await download('..%2f..%2fetc%2fpasswd')).status).toBe(404)
  })

  it.each([
    '..',
    '../x',
    'a/../../x',
    '/etc/passwd',
    'a\u0000b',
    'a\nb',
    '-rf',
    'x'.repeat(256),
    '.isopod',
    '',
  ])('is refused with a file called %j', async (path) => {
    const { status, body } = await submit(form('true', { [path]: 'x' }))
    expect({ status, code: body.code }).toMatchObject({ status: 400 })
    expect(body.errors[0].field).toMatch(/^files/)
  })

  it('is refused with files that are too many or too large, and enqueues nothing', async () => {
    const before = await (await fetch(`${gateway.url}/v1/executions`)).text()
    const many = Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`f${index}`, 'x']))
    expect(await submit(form('true', many))).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'files' }] },
    })
    const large = { a: 'x'.repeat(3 * 1024 * 1024), b: Buffer.alloc(3 * 1024 * 1024, 0xff) }
    expect(await submit(form('true', large))).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'files' }] },
    })
    const twice = form('true', { a: '1' })
    twice.append('a', new Blob(['2']), 'a')
    expect(await submit(twice)).toMatchObject({ status: 400, body: { errors: [{ field: 'files.a' }] } })
    expect(await (await fetch(`${gateway.url}/v1/executions`)).text()).toBe(before)
  })

  it('is accepted only by the route that takes a single job', async () => {
    const answer = await fetch(`${gateway.url}/v1/batches`, { method: 'POST', body: form('true') })
    expect(answer.status).toBe(415)
  })
})

// promise: http-executions
describe.concurrent('the gateway refuses early a request', () => {
  it.each(['application/json', 'multipart/form-data; boundary=x'])(
    'that announces a body that is too large (%s)',
    async (type) => {
      const answer = await raw(
        `POST /v1/executions HTTP/1.1\nHost: localhost\nContent-Type: ${type}\nContent-Length: 99999999999`,
      )
      expect(answer).toMatch(/^HTTP\/1\.1 413 /)
      expect(answer).toContain('application/problem+json')
    },
  )

  it.each(['application/json', 'multipart/form-data; boundary=x'])('that never ends (%s)', async (type) => {
    const chunk = 'x'.repeat(64 * 1024)
    let sent = 0
    const answer = await raw(
      `POST /v1/executions HTTP/1.1\nHost: localhost\nContent-Type: ${type}\nTransfer-Encoding: chunked`,
      function* () {
        for (; sent < 4096; sent++) yield `${chunk.length.toString(16)}\r\n${chunk}\r\n`
      },
    )
    // The connection was closed long before the 256 MiB that the client would send.
    expect(sent).toBeLessThan(2048)
    expect(answer === '' || /^HTTP\/1\.1 413 /.test(answer), answer.slice(0, 200)).toBe(true)
  })

  it('with a compressed or invalid body, or with a field that occurs twice', async () => {
    const post = async (body: string | Buffer, headers: Record<string, string> = {}) => {
      const options = { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } }
      const answer = await fetch(`${gateway.url}/v1/executions`, options)
      return { status: answer.status, ...((await answer.json()) as { code: string; detail: string }) }
    }
    expect(await post('{"code":"a","code":"b"}')).toMatchObject({ status: 400, code: 'duplicate_field' })
    expect(await post('{"code":"a","limits":{"cpus":1,"cp\\u0075s":2}}')).toMatchObject({
      status: 400,
      detail: expect.stringContaining('limits.cpus'),
    })
    expect(await post('{"code":"a","__proto__":{"language":"bash"}}')).toMatchObject({
      status: 400,
      detail: expect.stringContaining('__proto__'),
    })
    const gzip = await post('x', { 'content-encoding': 'gzip' })
    expect(gzip).toMatchObject({ status: 415, detail: expect.stringContaining('Content-Encoding') })
  })

  it('with endless headers, or that is not HTTP', async () => {
    const endless = await raw('GET /v1/queue HTTP/1.1\nHost: localhost', function* () {
      for (let count = 0; count < 2000; count++) yield `X-${count}: ${'x'.repeat(100)}\r\n`
    })
    expect(endless).not.toMatch(/^HTTP\/1\.1 [25]/)
    expect(await raw('NONSENSE')).toMatch(/^HTTP\/1\.1 400 /)
    const large = await raw(`GET /v1/queue HTTP/1.1\nHost: localhost\nX-Large: ${'x'.repeat(100_000)}`)
    expect(large).toMatch(/^HTTP\/1\.1 431 /)
    for (const answer of [await raw('NONSENSE'), large]) {
      expect(answer).toContain('application/problem+json')
    }
  })

  it('that arrives too slowly', { timeout: scaled(40_000) }, async () => {
    const { port } = new URL(gateway.url)
    const socket = connect(Number(port), '127.0.0.1')
    const dripping = setInterval(() => socket.write('X'), 500)
    socket.on('error', () => {})
    socket.write('GET /v1/queue HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
    let answer = ''
    socket.on('data', (chunk) => {
      answer += String(chunk)
    })
    await once(socket, 'close')
    clearInterval(dripping)
    expect(answer).toMatch(/^HTTP\/1\.1 408 /)
  })
})
