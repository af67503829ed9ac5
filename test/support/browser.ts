import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'

/** A message of the browser: an answer, or something that happened. */
interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly message: string }
}

/** How a page is looked at. */
export interface View {
  readonly width: number
  readonly height: number
  readonly scheme?: 'light' | 'dark'
  readonly media?: 'screen' | 'print'
}

/** A page in the browser. */
export interface Page {
  /** What happened since it was opened: name of the event and what it says. */
  readonly events: readonly { readonly method: string; readonly params: Readonly<Record<string, unknown>> }[]
  /** The value of an expression, which may be a promise, in the page. */
  evaluate<T>(expression: string): Promise<T>
  /** Presses and releases a key. */
  press(key: string, code: number): Promise<void>
  look(view: View): Promise<void>
  /** The visible part as PNG. */
  screenshot(): Promise<Buffer>
  /** The page on paper, as PDF. */
  print(): Promise<Buffer>
}

/** A browser without a window. */
export interface Browser {
  open(url: string, view: View): Promise<Page>
  close(): Promise<void>
}

/** Starts Chromium and speaks its own protocol with it through a pipe: no port, and no library. */
export async function startBrowser(program: string): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), 'isopod-browser-'))
  const words = [
    '--headless',
    '--remote-debugging-pipe',
    '--disable-gpu',
    '--no-first-run',
    `--user-data-dir=${profile}`,
    // Its own sandbox refuses root, and the pages are ours.
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ]
  const child = spawn(program, words, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'exit')
  const input = child.stdio[3] as Writable
  const waiting = new Map<number, (message: Message) => void>()
  const listeners = new Set<(message: Message & { sessionId?: string }) => void>()
  listen(child.stdio[4] as Readable, (message) => {
    if (message.id !== undefined) waiting.get(message.id)?.(message)
    else for (const listener of listeners) listener(message)
  })
  let last = 0
  const call = async (method: string, params: object = {}, sessionId?: string) => {
    const id = ++last
    const { promise, resolve } = Promise.withResolvers<Message>()
    waiting.set(id, resolve)
    input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    const answer = await promise
    waiting.delete(id)
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`)
    return answer.result ?? {}
  }
  return {
    async open(url, view) {
      const { targetId } = await call('Target.createTarget', { url: 'about:blank' })
      const { sessionId } = await call('Target.attachToTarget', { targetId, flatten: true })
      const session = String(sessionId)
      const events: Page['events'][number][] = []
      const loaded = Promise.withResolvers<void>()
      listeners.add(({ method = '', params = {}, sessionId: from }) => {
        if (from !== session) return
        events.push({ method, params })
        if (method === 'Page.loadEventFired') loaded.resolve()
        // A dialog would hold the page until somebody answers.
        if (method === 'Page.javascriptDialogOpening')
          void call('Page.handleJavaScriptDialog', { accept: true }, session)
      })
      const page = pageOf((method, params) => call(method, params, session), events)
      for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await call(`${domain}.enable`, {}, session)
      await page.look(view)
      await call('Page.navigate', { url }, session)
      await loaded.promise
      return page
    },
    async close() {
      await call('Browser.close').catch(() => child.kill('SIGKILL'))
      await ended
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

type Call = (method: string, params?: object) => Promise<Readonly<Record<string, unknown>>>

function pageOf(call: Call, events: Page['events']): Page {
  return {
    events,
    async evaluate<T>(expression: string) {
      const answer = await call('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
      if (answer['exceptionDetails']) throw new Error(JSON.stringify(answer['exceptionDetails']))
      return (answer['result'] as { value: T }).value
    },
    async press(key, windowsVirtualKeyCode) {
      const text = key === 'Enter' ? { text: '\r' } : {}
      const event = { key, code: key, windowsVirtualKeyCode, ...text }
      await call('Input.dispatchKeyEvent', { type: 'keyDown', ...event })
      await call('Input.dispatchKeyEvent', { type: 'keyUp', ...event })
    },
    async look({ width, height, scheme = 'light', media = 'screen' }) {
      await call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false })
      const features = [{ name: 'prefers-color-scheme', value: scheme }]
      await call('Emulation.setEmulatedMedia', { media, features })
    },
    screenshot: async () =>
      Buffer.from(String((await call('Page.captureScreenshot', { format: 'png' }))['data']), 'base64'),
    print: async () => Buffer.from(String((await call('Page.printToPDF'))['data']), 'base64'),
  }
}

/** Messages end with a zero byte. */
function listen(output: Readable, take: (message: Message) => void): void {
  let rest: Buffer[] = []
  output.on('data', (chunk: Buffer) => {
    let from = 0
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, from)) {
      take(JSON.parse(Buffer.concat([...rest, chunk.subarray(from, end)]).toString('utf8')) as Message)
      rest = []
      from = end + 1
    }
    rest.push(chunk.subarray(from))
  })
}
