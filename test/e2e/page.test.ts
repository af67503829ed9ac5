import { once } from 'node:events'
import { request } from 'node:http'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findChromium, NO_CHROMIUM } from '../support/chromium.ts'
import { type Gateway, startTestGateway } from '../support/gateway.ts'
import { type PageBrowser, startPageBrowser } from '../support/page-browser.ts'
import { openRelay } from '../support/relay.ts'
import { startWorld, type World } from '../support/world.ts'

const program = await findChromium('page')
let world: World
let gateway: Gateway
let withoutPage: Gateway
let browser: PageBrowser

beforeAll(async () => {
  if (program === undefined) return
  world = await startWorld({ workers: 0 })
  const off = { ISOPOD_GATEWAY_PAGE: 'false', ISOPOD_GATEWAY_BOARD: 'false' }
  ;[gateway, withoutPage, browser] = await Promise.all([
    startTestGateway(world),
    startTestGateway(world, off),
    startPageBrowser(program),
    world.addWorker(),
  ])
})

afterAll(async () => {
  await Promise.all([browser?.close(), gateway?.close(), withoutPage?.close()])
  await world?.close()
})

/**
 * Waits until the editor highlights bash. Highlighting loads after the language was chosen, and then restores the selection: if
 * that happened between selecting the old text and inserting the new one, the old text would stay.
 */
async function highlights(page: Page): Promise<void> {
  await page.locator('[data-language=shell]').waitFor()
}

/** Opens the page and puts a bash program into its editor. */
async function openWith(code: string, options = {}, url = gateway.url): Promise<Page> {
  const page = await browser.open(url, options)
  await page.getByLabel('Language').selectOption('bash')
  await highlights(page)
  await page.getByRole('textbox', { name: /^Program/ }).fill(code)
  return page
}

const badge = (page: Page) => page.locator('#badge')
const output = (page: Page) => page.getByRole('log')

/** Waits until an element has this text. */
async function shows(page: Page, selector: string, text: string): Promise<void> {
  await page.locator(selector).filter({ hasText: text }).waitFor()
}

/** The status of a request with headers that `fetch` would change, such as `Host`. */
async function statusOf(path: string, headers: Record<string, string>): Promise<number | undefined> {
  const asked = request(`${gateway.url}${path}`, { headers }).end()
  const [answer] = await once(asked, 'response')
  answer.resume()
  return answer.statusCode
}

async function runAndFinish(page: Page, label: string): Promise<void> {
  await page.getByRole('button', { name: 'Run' }).click()
  await shows(page, '#badge', label)
}

describe('the page', () => {
  beforeEach((context) => context.skip(program === undefined, NO_CHROMIUM))

  afterEach(async () => {
    expect(await browser.complaints()).toEqual([])
  })

  // promise: page
  it('shows output while the program runs, then how it ended', async () => {
    const page = await openWith('echo first; sleep 1; echo last; echo oops >&2; exit 3')
    await page.getByRole('button', { name: 'Run' }).click()
    await output(page).getByText('first').waitFor()
    expect(await badge(page).textContent()).toBe('Running')
    await shows(page, '#badge', 'Failed')
    expect(await output(page).textContent()).toBe('first\nlast\noops\n')
    expect(await output(page).locator('.stderr').textContent()).toBe('oops\n')
    expect(await page.locator('#verdict-detail').textContent()).toMatch(
      /^exit code 3 · [\d.]+ s · [\d.]+ [KM]iB · bash@/,
    )
    expect(await page.locator('#time-split').textContent()).toMatch(
      /Queue [\d.]+ m?s.*Start [\d.]+ m?s.*Run [\d.]+ s/,
    )
    expect(await page.locator('#gauges').textContent()).toMatch(/Memory[\d.]+ [KM]iB of \d+ MiB/)
  })

  it('cancels the running program when Stop is pressed', async () => {
    const page = await openWith('echo on; sleep 60')
    await page.getByRole('button', { name: 'Run' }).click()
    await output(page).getByText('on').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await shows(page, '#badge', 'Cancelled')
    expect(await page.getByRole('button', { name: 'Run' }).isVisible()).toBe(true)
  })

  it('continues the output where it was after a lost connection', async () => {
    const relay = await openRelay(gateway.url)
    try {
      const page = await openWith('for n in 1 2 3 4 5 6 7 8; do echo line $n; sleep 0.4; done', {}, relay.url)
      await page.getByRole('button', { name: 'Run' }).click()
      await output(page).getByText('line 2').waitFor()
      relay.cut()
      await shows(page, '#notice', 'does not answer')
      await relay.mend()
      await output(page).getByText('line 6').waitFor()
      await shows(page, '#badge', 'Success')
      expect(await output(page).textContent()).toBe(
        [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `line ${n}\n`).join(''),
      )
    } finally {
      relay.cut()
    }
  })

  // promise: page-hostile
  it('shows hostile output as text, and executes none of it', async () => {
    const html = '<script>hacked=1</script><img src=x onerror=hacked=1>'
    const page = await openWith(
      `printf '${html}\\e[31mred\\u202eevil\\n'; printf '${html}\\r\\n' >&2; exit 1`,
    )
    await runAndFinish(page, 'Failed')
    const text = await output(page).textContent()
    expect(text).toContain(`${html}\\x1b[31mred\\u{202e}evil\n`)
    expect(text).toContain(`${html}\\x0d\n`)
    expect(await page.evaluate("'hacked' in globalThis")).toBe(false)
    expect(await page.locator('main img, main script').count()).toBe(0)
    // Shows the same program again from its stored result instead of live events.
    await page.reload()
    await output(page).getByText('red').waitFor()
    expect(await output(page).textContent()).toContain(`${html}\\x1b[31mred\\u{202e}evil\n`)
    expect(await page.evaluate("'hacked' in globalThis")).toBe(false)
  })

  // promise: page-hostile
  it('shows pictures that a program left, and other files only as text, whatever their names', async () => {
    const pixel =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII='
    const html = '<script>hacked=1</script>'
    const drawing = '<svg xmlns="http://www.w3.org/2000/svg"><script>hacked=1</script></svg>'
    const page = await openWith(
      `echo ${pixel} | base64 -d > plot.txt; echo '${html}' > page.png; echo '${drawing}' > x.svg; head -c 9 /dev/zero > x.html`,
    )
    await page.getByText('Input, limits and policy').click()
    await page.getByLabel('Files to bring back').fill('plot.txt\npage.png\nx.svg\nx.html')
    await runAndFinish(page, 'Success')
    await page.getByAltText('The picture plot.txt').waitFor()
    const width =
      "document.querySelector('#files img').decode().then(() => document.querySelector('#files img').naturalWidth)"
    expect(await page.evaluate(width)).toBe(1)
    expect(await page.locator('#files img').count()).toBe(1)
    expect(await page.locator('#files .preview').allTextContents()).toEqual([`${html}\n`, `${drawing}\n`])
    expect(await page.evaluate("'hacked' in globalThis")).toBe(false)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'x.html' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('x.html')
  })

  it('keeps the program over a reload', async () => {
    const page = await openWith('echo kept')
    await page.reload()
    await page
      .getByRole('textbox', { name: /^Program/ })
      .getByText('echo kept')
      .waitFor()
  })

  it('shows the reason of a refusal beside the field that it names', async () => {
    const page = await openWith('echo hi')
    await page.getByText('Input, limits and policy').click()
    await page.getByLabel('Memory, MiB').fill('1')
    await page.getByLabel('Timeout, s').fill('soon')
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByText('must be a whole number from 16 to 1024').waitFor()
    const [memory, timeout] = [page.getByLabel('Memory, MiB'), page.getByLabel('Timeout, s')]
    expect(await memory.getAttribute('aria-invalid')).toBe('true')
    expect(await timeout.getAttribute('aria-describedby')).toBe('error-timeout')
    await memory.fill('64')
    await timeout.fill('1')
    await page.getByRole('textbox', { name: /^Program/ }).fill('sleep 9')
    await runAndFinish(page, 'Timeout')
    expect(await memory.getAttribute('aria-invalid')).toBeNull()
    expect(await page.locator('#gauges').textContent()).toContain('of 64 MiB')
  })

  it('can be used by keyboard alone', async () => {
    const page = await browser.open(gateway.url)
    await page.getByLabel('Language').selectOption('bash')
    await page.reload()
    await page.locator('#example option').first().waitFor({ state: 'attached' })
    await highlights(page)
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement?.id')).toBe('skip')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('read -r line; echo "got $line"')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement?.tagName')).toBe('SUMMARY')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.type('typed')
    await page.keyboard.press('Control+Enter')
    await shows(page, '#badge', 'Success')
    expect(await output(page).textContent()).toBe('got typed\n')
  })

  it('fits a phone, whatever is printed', async () => {
    const viewport = { width: 360, height: 740 }
    const page = await openWith('printf "%0500d\\n" 7', { viewport })
    await runAndFinish(page, 'Success')
    const width = () => page.evaluate('document.documentElement.scrollWidth')
    expect(await width()).toBe(360)
    await page.getByText('Input, limits and policy').click()
    expect(await width()).toBe(360)
  })

  it('follows the colour scheme of the system until its button is used', async () => {
    const page = await browser.open(gateway.url, { colorScheme: 'dark' })
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    const dark = await ground()
    expect(dark).toBe('rgb(15, 18, 22)')
    await page.getByRole('button', { name: 'Dark' }).click()
    expect(await ground()).toBe('rgb(244, 245, 247)')
    await page.reload()
    expect(await ground()).toBe('rgb(244, 245, 247)')
  })

  it('lists all executions, and opens one by its link', async () => {
    const page = await browser.open(gateway.url)
    const body = JSON.stringify({ language: 'bash', code: 'echo from afar' })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${gateway.url}/v1/executions?wait=30`, { method: 'POST', headers, body })
    const { id } = (await answer.json()) as { id: string }
    await page.locator(`#recent a[href="#/executions/${id}"]`).click()
    await output(page).getByText('from afar').waitFor()
    expect(page.url()).toBe(`${gateway.url}/#/executions/${id}`)
    const other = await browser.open(page.url())
    await output(other).getByText('from afar').waitFor()
  })

  it('shows how many slots of the workers are taken, and how many jobs wait', async () => {
    const page = await browser.open(gateway.url)
    await page.locator('.slot').first().waitFor()
    const slots = await page.locator('.slot').count()
    const jobs = Array.from({ length: slots + 2 }, () => ({ language: 'bash', code: 'sleep 4' }))
    const ids = await world.client.submitMany(jobs)
    await shows(page, '#queue-running', `${slots} of ${slots}`)
    expect(await page.locator('.slot.taken').count()).toBe(slots)
    expect(await page.locator('#queue-waiting').textContent()).toBe('2')
    await Promise.all(ids.map((id) => world.client.cancel(id)))
  })
})

// promise: page-served
describe('the files of the page', () => {
  beforeEach((context) => context.skip(program === undefined, NO_CHROMIUM))

  const head = async (path: string, headers: Record<string, string> = {}) =>
    await fetch(`${gateway.url}${path}`, { headers })

  it('are served with a policy against inline scripts, inline styles and frames', async () => {
    const answer = await head('/')
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|\*|https?:|data:|script-src[^;]*blob:/)
    expect(await answer.text()).not.toMatch(/<style|<script(?![^>]* src=)|\son\w+=|style=/)
  })

  it('are cached forever if they are assets, and the page is revalidated each time', async () => {
    const page = await head('/')
    const [asset = ''] = /\/assets\/[\w-]+\.js/.exec(await page.text()) ?? []
    expect(page.headers.get('cache-control')).toBe('public, max-age=0')
    expect(await statusOf('/', { 'if-none-match': page.headers.get('etag') ?? '' })).toBe(304)
    const kept = await head(asset, { 'accept-encoding': 'br' })
    expect(kept.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(kept.headers.get('content-encoding')).toBe('br')
    expect((await fetch(`${gateway.url}${asset}`, { method: 'HEAD' })).status).toBe(200)
  })

  it('are all that the gateway serves; other paths get 404', async () => {
    for (const path of [
      '/assets/',
      '/assets',
      '/assets/%2e%2e/index.html',
      '/assets/..%2f..%2findex.js',
      '/x',
    ]) {
      expect([path, (await head(path)).status]).toEqual([path, 404])
    }
  })

  it('are refused under a host name that was rebound to this host', async () => {
    const port = new URL(gateway.url).port
    for (const path of ['/', '/assets/x.js', '/queues', '/queues/api/queues']) {
      expect([path, await statusOf(path, { host: `evil.example:${port}` })]).toEqual([path, 403])
    }
  })

  it('are not served if the operator turns the page off', async () => {
    for (const path of ['/', '/queues']) expect((await fetch(`${withoutPage.url}${path}`)).status).toBe(404)
    expect((await fetch(`${withoutPage.url}/v1/queue`)).status).toBe(200)
  })
})
