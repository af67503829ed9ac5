import type { Result } from '@isopod/protocol'
import { byId, element } from '../parts/dom.ts'
import { shownText } from '../parts/shown-text.ts'

/** Maximum number of characters shown per stream; the rest can be downloaded. */
const MAX_SHOWN = 200_000

type Stream = 'stdout' | 'stderr'

/** Shows the output of a program, live and afterwards. */
export interface LiveConsole {
  /** @param empty text that is shown until there is output. @default '' */
  clear(empty?: string): void
  append(stream: Stream, text: string): void
  /** Shows the output of a result. Keeps equal live output, which shows the order in which the streams were written. */
  finish(result: Result): void
}

/** Creates the page's console. */
export function createConsole(): LiveConsole {
  const output = byId('console', HTMLElement)
  const notes = byId('console-notes', HTMLElement)
  const links = new Set<string>()
  let live = { stdout: '', stderr: '' }

  const clear = (empty = '') => {
    live = { stdout: '', stderr: '' }
    output.replaceChildren()
    notes.replaceChildren()
    for (const url of links) URL.revokeObjectURL(url)
    links.clear()
    output.dataset['empty'] = empty
  }
  const show = (stream: Stream, text: string) => {
    // Follow new output only if the end was visible before.
    const atEnd = output.scrollHeight - output.scrollTop - output.clientHeight < 40
    output.append(element('span', { class: stream }, ...shownText(text)))
    if (atEnd) output.scrollTop = output.scrollHeight
  }
  const download = (stream: Stream, text: string) => {
    const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
    links.add(url)
    return element('a', { href: url, download: `${stream}.txt` }, `Download ${stream}`)
  }

  return {
    clear,
    append(stream, text) {
      const room = MAX_SHOWN - live[stream].length
      live[stream] += text
      if (room > 0) show(stream, text.slice(0, room))
    },
    finish(result) {
      const shown = live
      if (shown.stdout !== result.stdout || shown.stderr !== result.stderr) {
        clear()
        for (const stream of ['stdout', 'stderr'] as const) {
          if (result[stream] !== '') show(stream, withNewline(result[stream].slice(0, MAX_SHOWN)))
        }
      }
      if (result.stdout === '' && result.stderr === '')
        output.dataset['empty'] = 'The program printed nothing.'
      notes.replaceChildren()
      for (const stream of ['stdout', 'stderr'] as const) {
        const note = noteOf(result, stream)
        if (note !== '') notes.append(element('span', {}, note))
        if (result[stream].length > 2000) notes.append(download(stream, result[stream]))
      }
    },
  }
}

/** Ensures that further output begins on a new line. */
function withNewline(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`
}

function noteOf(result: Result, stream: Stream): string {
  if (result.truncated[stream])
    return `${stream} was cut at its limit: ${result.outputBytes[stream]} bytes were written.`
  return result[stream].length > MAX_SHOWN
    ? `Only the first ${MAX_SHOWN} characters of ${stream} are shown.`
    : ''
}
