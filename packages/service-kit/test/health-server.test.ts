import { connect } from 'node:net'
import { createMetrics } from '@isopod/telemetry'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type HealthServerOptions, startHealthServer } from '../src/health-server.ts'

const metrics = createMetrics({ listed: { language: [], status: [], image: [] }, processMetrics: false })

async function serve(options: Partial<HealthServerOptions> = {}) {
  const ready = async () => ({ ok: true, checks: { redis: 'ok' } })
  const server = await startHealthServer({ host: '127.0.0.1', port: 0, metrics, ready, ...options })
  onTestFinished(() => server.close())
  const get = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${server.port}${path}`, init)
  return { server, get }
}

/** Sends raw bytes, and returns the response up to the end of the connection. */
function raw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (data) => {
      text += data
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(text))
  })
}

describe('startHealthServer', () => {
  it('reports that the process is alive, without checking whether it is ready', async () => {
    const { get } = await serve({ ready: () => new Promise(() => {}) })
    const response = await get('/healthz')
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('ok\n')
  })

  it('serves the metrics for Prometheus', async () => {
    const { get } = await serve()
    const response = await get('/metrics?x=1')
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    expect(await response.text()).toContain('# TYPE isopod_docker_up gauge\n')
  })

  it('answers 200 when the app is ready', async () => {
    const { get } = await serve()
    const response = await get('/readyz')
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ ok: true, checks: { redis: 'ok' }, pid: process.pid })
  })

  it('answers 503 with the reasons when the app is not ready', async () => {
    const { get } = await serve({ ready: async () => ({ ok: false, checks: { redis: 'no answer' } }) })
    const response = await get('/readyz')
    expect(response.status).toBe(503)
    expect(await response.json()).toEqual({ ok: false, checks: { redis: 'no answer' }, pid: process.pid })
  })

  it('answers 503 when the checks throw', async () => {
    const { get } = await serve({ ready: () => Promise.reject(new Error('engine: gone')) })
    const response = await get('/readyz')
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ ok: false, checks: { ready: 'engine: gone' } })
  })

  it('answers 503 when the checks hang', async () => {
    const { get } = await serve({ ready: () => new Promise(() => {}) })
    expect((await get('/readyz')).status).toBe(503)
  })

  it.each(['/', '/metrics/', '/../etc/passwd', '//metrics', '/healthz%00'])(
    'answers 404 to %s',
    async (path) => {
      const { server } = await serve()
      const text = await raw(server.port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      expect(text).toMatch(/^HTTP\/1\.1 404 /)
    },
  )

  it('answers 405 to methods other than GET and HEAD, and answers HEAD without a body', async () => {
    const { get } = await serve()
    const refused = await get('/metrics', { method: 'DELETE' })
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    const head = await get('/healthz', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  it('refuses a body and ends the connection instead of reading it', async () => {
    const { server } = await serve()
    const text = await raw(
      server.port,
      'POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\nabc',
    )
    expect(text).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('refuses headers above 8 KiB', async () => {
    const { server } = await serve()
    const text = await raw(server.port, `GET /healthz HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)
    expect(text).toMatch(/^HTTP\/1\.1 431 /)
  })

  it('names host and port when it cannot listen', async () => {
    const { server } = await serve()
    await expect(serve({ port: server.port })).rejects.toThrow(
      `health server: cannot listen on 127.0.0.1, port ${server.port} (`,
    )
  })

  it('closes once, and does not wait for a silent connection', async () => {
    const { server, get } = await serve()
    await get('/healthz')
    const silent = connect(server.port, '127.0.0.1')
    silent.on('error', () => {})
    await new Promise((resolve) => silent.once('connect', resolve))
    const first = server.close()
    expect(server.close()).toBe(first)
    await first
    await expect(get('/healthz')).rejects.toThrow()
  })
})
