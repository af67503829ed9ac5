import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'

/** A browser that opens pages of a gateway, and notes what they complain of. */
export interface PageBrowser {
  /** Opens an address in a context of its own: no cookies, no storage, no credentials of another. */
  open(url: string, options?: BrowserContextOptions): Promise<Page>
  /** Errors, warnings and violations of their policy that open pages have told of since the last call. Closes the pages. */
  complaints(): Promise<readonly string[]>
  close(): Promise<void>
}

/** Starts Debian's Chromium. */
export async function startPageBrowser(executablePath: string): Promise<PageBrowser> {
  // Its own sandbox refuses root, and the pages are ours.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const browser = await chromium.launch({ executablePath, args })
  let told: string[] = []
  return {
    async open(url, options = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
      const page = await context.newPage()
      page.setDefaultTimeout(20_000)
      page.on('pageerror', (error) => told.push(`error: ${error.message}`))
      page.on('console', (message) => {
        // Requests that were refused are what some specs are about; a violation of the policy has no place in any.
        const isRefusal =
          /Failed to load resource: (the server responded|net::ERR_(?:CONNECTION|EMPTY|INCOMPLETE))/.test(
            message.text(),
          )
        if (['error', 'warning'].includes(message.type()) && !isRefusal) told.push(message.text())
      })
      await page.goto(url)
      return page
    },
    async complaints() {
      await Promise.all(browser.contexts().map((context) => context.close()))
      const all = told
      told = []
      return all
    },
    close: () => browser.close(),
  }
}
