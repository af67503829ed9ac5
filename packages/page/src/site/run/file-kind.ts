/** What a file is shown as, by its first bytes: what its name says is the program's to choose. */
export type FileKind =
  | { readonly kind: 'image'; readonly type: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'other' }

/** Pictures made of pixels alone; a drawing (SVG) may hold more than a picture. */
const IMAGES: readonly (readonly [type: string, pattern: RegExp])[] = [
  ['image/png', /^\x89PNG/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF.{4}WEBP/s],
]
/** Longer texts are only there to download, in bytes. */
const MAX_TEXT_BYTES = 32 * 1024

/** Finds out what the bytes of a file are. */
export function kindOf(content: Uint8Array): FileKind {
  const head = String.fromCharCode(...content.subarray(0, 16))
  const [type] = IMAGES.find(([, pattern]) => pattern.test(head)) ?? []
  if (type !== undefined) return { kind: 'image', type }
  if (content.length > MAX_TEXT_BYTES) return { kind: 'other' }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content)
    return text.includes('\0') ? { kind: 'other' } : { kind: 'text', text }
  } catch {
    return { kind: 'other' }
  }
}
