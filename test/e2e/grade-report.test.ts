import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findChromium, NO_CHROMIUM } from '../support/chromium.ts'
import { type PageBrowser, startPageBrowser } from '../support/page-browser.ts'
import { HOSTILE, hostileReport, largeReport, ordinaryReport } from './grade-report-pages.ts'

const program = await findChromium('grade-report')
const folder = mkdtempSync(join(tmpdir(), 'isopod-report-'))
let browser: PageBrowser

beforeAll(async () => {
  if (program !== undefined) browser = await startPageBrowser(program)
})

afterAll(async () => {
  await browser?.close()
  rmSync(folder, { recursive: true, force: true })
})

const WIDE = { width: 1200, height: 900 }
const PHONE = { width: 360, height: 780 }

async function open(name: string, text: Iterable<string>, options: BrowserContextOptions = {}) {
  const path = join(folder, `${name}.html`)
  writeFileSync(path, [...text].join(''))
  return await browser.open(pathToFileURL(path).href, { viewport: WIDE, ...options })
}

describe('a report in a browser', () => {
  beforeEach((context) => context.skip(program === undefined, NO_CHROMIUM))

  // promise: report-hostile
  it('shows hostile texts of programs and names as text', async () => {
    const page = await open('hostile', hostileReport())
    await page.evaluate(`document.querySelectorAll('details').forEach((one) => { one.open = true })`)
    const text = await page.evaluate<string>('document.body.innerText')
    for (const shown of HOSTILE.shown) expect(text).toContain(shown)
    expect(await page.evaluate('window.hacked === undefined')).toBe(true)
    expect(await page.evaluate(`document.querySelectorAll('script, style, meta, head > title').length`)).toBe(
      7,
    )
    expect(
      await page.evaluate(
        `document.querySelectorAll('a, img, iframe, object, form, base, link, [onerror], [onclick], [style]').length`,
      ),
    ).toBe(0)
    // Long hostile texts do not make the page wider than the window.
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    expect(await browser.complaints()).toEqual([])
  })

  it('runs only its own script, even if another one was injected', async () => {
    const text = [...ordinaryReport()]
      .join('')
      .replace('</main>', '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 1"></main>')
    const page = await open('injected', [text])
    expect(await page.evaluate('window.hacked === undefined')).toBe(true)
    expect(await page.evaluate(`document.getElementById('tools').hidden`)).toBe(false)
    expect((await browser.complaints()).join('\n')).toContain('Content Security Policy')
  })

  it('finds and sorts problems', async () => {
    const page = await open('ordinary', ordinaryReport())
    const names = `Array.from(document.querySelectorAll('#problems tbody:not([hidden]) th'), (one) => one.textContent)`
    await page.locator('#search').fill('TASK/1 ')
    await expect.poll(() => page.locator('#shown').textContent()).toBe('11 of 40 problems shown')
    await page.locator('#choose').selectOption('suspicious')
    expect(await page.evaluate(names)).toEqual(['task/1'])
    await page.locator('#search').fill('')
    await page.locator('#choose').selectOption('')
    // By keyboard: the header of the column "Slowest".
    const slowestButton = page.locator('#problems thead button').nth(4)
    await slowestButton.press('Enter')
    const slowest = await page.evaluate<string[]>(names)
    expect(slowest.slice(0, 3)).toEqual(['task/39', 'task/38', 'task/37'])
    expect(
      await page.evaluate(`document.querySelectorAll('#problems th')[4].getAttribute('aria-sort')`),
    ).toBe('descending')
    await slowestButton.press('Enter')
    expect((await page.evaluate<string[]>(names))[0]).toBe('task/0')
    await page.locator('#problems tbody:not([hidden]) summary').first().press('Enter')
    expect(await page.evaluate(`document.querySelectorAll('#problems details[open]').length`)).toBe(1)
  })

  // promise: report-readable
  it.each([
    ['a wide screen', WIDE],
    ['a phone', PHONE],
  ])('fits %s, and every text has enough contrast in both themes', async (name, viewport) => {
    const page = await open(name.replaceAll(' ', '-'), ordinaryReport(), { viewport })
    await page.evaluate(`document.querySelectorAll('details').forEach((one) => { one.open = true })`)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width)
    const within = `Array.from(document.querySelectorAll('.scroll')).every((one) => one.scrollWidth <= one.clientWidth)`
    expect(await page.evaluate(within)).toBe(true)
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      expect([scheme, await page.evaluate(LOW_CONTRAST)]).toEqual([scheme, []])
    }
  })

  it('describes its pictures in words, and names its tables, fields and regions', async () => {
    const page = await open('words', ordinaryReport())
    const without = (selector: string) =>
      `Array.from(document.querySelectorAll('${selector}'), (one) => one.outerHTML.slice(0, 80))`
    expect(await page.evaluate(without('svg:not([role=img][aria-label])'))).toEqual([])
    expect(await page.evaluate(without('th:not([scope])'))).toEqual([])
    expect(await page.evaluate(without('[role=region]:not([aria-label], [aria-labelledby])'))).toEqual([])
    expect(
      await page.evaluate(
        `Array.from(document.querySelectorAll('input, select')).every((one) => one.labels.length === 1)`,
      ),
    ).toBe(true)
    expect(await page.evaluate(`document.querySelectorAll('h1').length`)).toBe(1)
    expect(await page.evaluate('document.documentElement.lang')).toBe('en')
  })

  it('prints in dark ink on white, even in a dark colour scheme', async () => {
    const page = await open('print', ordinaryReport(), { colorScheme: 'dark' })
    await page.emulateMedia({ media: 'print' })
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)')
    expect(await page.evaluate(LOW_CONTRAST)).toEqual([])
    expect((await page.pdf()).subarray(0, 5).toString()).toBe('%PDF-')
  })

  it('stays usable with 20,000 samples of 2,000 problems, and says what it leaves out', async () => {
    const text = [...largeReport()].join('')
    expect(text.length).toBeLessThan(16 * 1024 * 1024)
    const page = await open('large', [text])
    await page.locator('#search').fill('task/1999')
    await expect.poll(() => page.locator('#shown').textContent()).toBe('1 of 2000 problems shown')
    expect(await page.evaluate<string>('document.body.innerText')).toMatch(
      /samples that did not pass have no details here/,
    )
    expect(await browser.complaints()).toEqual([])
  })
})

/** Texts of the page whose contrast with their background is below WCAG AA. */
const LOW_CONTRAST = `(() => {
  const parse = (colour) => { const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number); return { rgb: [r, g, b], a } }
  const light = ({ rgb }) => { const [r, g, b] = rgb.map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4 }); return 0.2126 * r + 0.7152 * g + 0.0722 * b }
  const ground = (one) => { for (let at = one; at; at = at.parentElement) { const found = parse(getComputedStyle(at).backgroundColor); if (found.a === 1) return found } return parse('rgb(255, 255, 255)') }
  const faint = new Set()
  for (const one of document.querySelectorAll('body *')) {
    if (!Array.from(one.childNodes).some((node) => node.nodeType === 3 && node.data.trim() !== '') || !one.checkVisibility() || one.tagName === 'TITLE' || one.tagName === 'title') continue
    const style = getComputedStyle(one)
    const ink = light(parse(one instanceof SVGElement ? style.fill : style.color)), below = light(ground(one))
    const ratio = (Math.max(ink, below) + 0.05) / (Math.min(ink, below) + 0.05)
    if (ratio < 4.5) faint.add(one.tagName + '.' + (one.getAttribute('class') ?? '') + ' ' + ratio.toFixed(2))
  }
  return [...faint]
})()`
