import type { KeyScope } from '@isopod/access'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findChromium, NO_CHROMIUM } from '../support/chromium.ts'
import { type Gateway, startTestGateway } from '../support/gateway.ts'
import { type PageBrowser, startPageBrowser } from '../support/page-browser.ts'
import { startWorld, type World } from '../support/world.ts'

const program = await findChromium('queue-board')
let world: World
let gateway: Gateway
let browser: PageBrowser | undefined
let [admin, reader] = ['', '']

beforeAll(async () => {
  // No worker: submitted jobs stay in the queue.
  world = await startWorld({ workers: 0 })
  gateway = await startTestGateway(world)
  const make = async (name: string, scope: KeyScope) =>
    (await gateway.access.keys.create({ name, tenant: name, scopes: [scope] })).token
  ;[admin, reader] = [await make('admin', 'admin'), await make('reader', 'read')]
  await world.client.submit({ language: 'bash', code: 'echo <b>in the queue</b>' })
  if (program !== undefined) browser = await startPageBrowser(program)
})

afterAll(async () => {
  await browser?.close()
  await gateway?.close()
  await world?.close()
})

const basic = (password: string) => `Basic ${Buffer.from(`anyone:${password}`).toString('base64')}`

async function get(path: string, authorization?: string, method = 'GET'): Promise<Response> {
  const headers = authorization === undefined ? {} : { authorization }
  return await fetch(`${gateway.url}${path}`, { method, headers })
}

// promise: queue-board
describe('the board of the queue', () => {
  it('asks for a key by basic authentication', async () => {
    for (const path of ['/queues', '/queues/api/queues', '/queues/static/js/none.js']) {
      for (const authorization of [undefined, basic('wrong'), 'Basic !', basic(`${admin}x`)]) {
        const answer = await get(path, authorization)
        expect([path, authorization, answer.status]).toEqual([path, authorization, 401])
        expect(answer.headers.get('www-authenticate')).toBe('Basic realm="Isopod", charset="UTF-8"')
      }
    }
  })

  it('is for admins only', async () => {
    expect((await get('/queues/api/queues', basic(reader))).status).toBe(403)
    expect((await get('/queues/api/queues', `Bearer ${admin}`)).status).toBe(200)
    expect((await get('/queues/api/queues', basic(admin))).status).toBe(200)
  })

  it('is the only route that accepts basic authentication', async () => {
    const answer = await get('/v1/queue', basic(admin))
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  })

  it('has no route that changes the queue', async () => {
    for (const [method, path] of [
      ['PUT', '/queues/api/queues/jobs/pause'],
      ['PUT', '/queues/api/queues/jobs/empty'],
      ['PUT', '/queues/api/queues/jobs/obliterate'],
      ['POST', '/queues/api/queues/jobs/add'],
    ] as const) {
      expect([path, (await get(path, basic(admin), method)).status]).toEqual([path, 405])
    }
    expect((await world.client.queue()).prioritized).toBe(1)
  })

  it('shows an admin the waiting jobs, under a content security policy of its own', async (context) => {
    context.skip(program === undefined, NO_CHROMIUM)

    const httpCredentials = { username: 'anyone', password: admin }
    const page = await browser?.open(`${gateway.url}/queues/queue/jobs?status=prioritized`, {
      httpCredentials,
    })
    await page?.getByText('"echo <b>in the queue</b>"').waitFor()
    const answer = await get('/queues', basic(admin))
    expect(answer.headers.get('content-security-policy')).not.toMatch(/unsafe|\*|https?:/)
    expect((await browser?.complaints())?.filter((line) => !/was preloaded/.test(line))).toEqual([])
  })
})

// promise: page-key
describe('the page, as soon as there are keys', () => {
  beforeEach((context) => context.skip(program === undefined, NO_CHROMIUM))

  afterEach(async () => {
    expect(await browser?.complaints()).toEqual([])
  })

  it('asks for a key, says why it is refused, and keeps a valid one only in its tab', async () => {
    const page = await browser?.open(gateway.url)
    if (page === undefined) throw new Error('no browser')
    await page.getByText('This gateway asks for an API key.').waitFor()
    await page.keyboard.type('wrong')
    await page.keyboard.press('Enter')
    await page.getByText('The API key is unknown, revoked or expired.').waitFor()
    await page.getByLabel('Key', { exact: true }).fill(reader)
    await page.keyboard.press('Enter')
    await page.locator('#queue-running').filter({ hasText: '0 of 0' }).waitFor()
    await page.getByText('No worker is connected.').waitFor()
    expect(await page.evaluate('[sessionStorage.getItem("isopod-api-key"), document.cookie]')).toEqual([
      reader,
      '',
    ])
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(reader)
    await page.reload()
    await page.locator('#queue-running').filter({ hasText: '0 of 0' }).waitFor()
    await page.getByRole('button', { name: 'API key' }).click()
    await page.getByRole('button', { name: 'Forget it' }).click()
    await page.getByText('This gateway asks for an API key.').waitFor()
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain(reader)
  })

  it('does not reopen the dialog by itself after it was closed', async () => {
    const page = await browser?.open(gateway.url)
    if (page === undefined) throw new Error('no browser')
    await page.getByText('This gateway asks for an API key.').waitFor()
    await page.keyboard.press('Escape')
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await page.locator('#connection').filter({ hasText: 'Send an API key' }).waitFor()
    expect(await page.getByRole('dialog').isVisible()).toBe(false)
    await page.getByRole('button', { name: 'API key' }).click()
    expect(await page.getByRole('dialog').isVisible()).toBe(true)
  })

  it('reports that a key has exceeded its rate, and when it may try again', async () => {
    const slow = { name: 'slow', tenant: 'slow', scopes: ['read' as const], requestsPerMinute: 1 }
    const { token } = await gateway.access.keys.create(slow)
    const page = await browser?.open(gateway.url)
    await page?.getByLabel('Key', { exact: true }).fill(token)
    await page?.keyboard.press('Enter')
    await page?.getByText(/may make 1 requests a minute; try again in \d+ s/).waitFor()
  })
})
