import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { scaled } from './time-factor.ts'

/** A browser that opens pages of the gateway and reports, and collects their errors and policy violations. */
export interface PageBrowser {
  /** Opens a URL in a browser context of its own, without cookies, storage or credentials of other pages. */
  open(url: string, options?: BrowserContextOptions): Promise<Page>
  /**
   * Errors, warnings, violations of the content security policy, dialogs and requests to other origins since the last call.
   * Closes the pages.
   */
  complaints(): Promise<readonly string[]>
  close(): Promise<void>
}

/** Starts Debian's Chromium. */
export async function startPageBrowser(executablePath: string): Promise<PageBrowser> {
  // Chromium's own sandbox does not run as root. Pages of this project do not need it.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const browser = await chromium.launch({ executablePath, args })
  let seen: string[] = []
  return {
    async open(url, options = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
      const page = await context.newPage()
      page.setDefaultTimeout(scaled(20_000))
      const home = url.startsWith('file:') ? url : new URL(url).origin
      page.on('request', (request) => {
        if (
          !request
            .url()
            .replace(/^blob:/, '')
            .startsWith(home)
        )
          seen.push(`request: ${request.url()}`)
      })
      page.on('dialog', (dialog) => {
        seen.push(`dialog: ${dialog.message()}`)
        void dialog.accept()
      })
      page.on('pageerror', (error) => seen.push(`error: ${error.message}`))
      page.on('console', (message) => {
        // Some specs provoke refused requests; none may violate the policy.
        const isRefusal =
          /Failed to load resource: (the server responded|net::ERR_(?:CONNECTION|EMPTY|INCOMPLETE))/.test(
            message.text(),
          )
        if (['error', 'warning'].includes(message.type()) && !isRefusal) seen.push(message.text())
      })
      await page.goto(url)
      return page
    },
    async complaints() {
      await Promise.all(browser.contexts().map((context) => context.close()))
      const all = seen
      seen = []
      return all
    },
    close: () => browser.close(),
  }
}
