import type { Result } from '@isopod/protocol'
import { byId, element } from '../parts/dom.ts'
import { bytes } from '../parts/figures.ts'
import { shownText } from '../parts/shown-text.ts'
import { fileKindOf } from './file-kind.ts'

/** Blob URLs of the shown files. Each keeps its file in memory until it is revoked. */
const addresses = new Set<string>()

/** Shows the files that a program left: images and short texts inline, all as downloads. */
export function showFiles(result: Result): void {
  for (const address of addresses) URL.revokeObjectURL(address)
  addresses.clear()
  const files = Object.entries(result.files ?? {})
  const section = byId('files', HTMLElement)
  section.hidden = files.length === 0
  section.replaceChildren(
    element('h3', {}, 'Files'),
    ...files.map(([path, { content }]) => fileElement(path, bytesOf(content))),
  )
}

function fileElement(path: string, content: Uint8Array<ArrayBuffer>): HTMLElement {
  const shown = fileKindOf(content)
  // Without a type the browser saves the file and never opens it here.
  const download = element('a', { href: addressOf(content, 'application/octet-stream') }, ...shownText(path))
  download.download = path.split('/').at(-1) ?? 'file'
  const caption = element('figcaption', {}, download, ` ${bytes(content.length)}`)
  if (shown.kind === 'image') {
    const image = element('img', {
      src: addressOf(content, shown.type),
      alt: `The picture ${path}`,
      decoding: 'async',
    })
    return element('figure', {}, image, caption)
  }
  const preview =
    shown.kind === 'text' ? [element('pre', { class: 'preview' }, ...shownText(shown.text))] : []
  return element('figure', {}, ...preview, caption)
}

function addressOf(content: Uint8Array<ArrayBuffer>, type: string): string {
  const address = URL.createObjectURL(new Blob([content], { type }))
  addresses.add(address)
  return address
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}
