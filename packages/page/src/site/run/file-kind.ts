/** How a file is shown. Its first bytes decide, because the program chooses its name. */
export type FileKind =
  | { readonly kind: 'image'; readonly type: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'other' }

/** Bitmap images. Not SVG, which can contain scripts. */
const IMAGES: readonly (readonly [type: string, pattern: RegExp])[] = [
  ['image/png', /^\x89PNG/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF.{4}WEBP/s],
]
/** Maximum size of a text that is shown, in bytes; longer ones can only be downloaded. */
const MAX_TEXT_BYTES = 32 * 1024

/** Detects the kind of a file from its bytes. */
export function fileKindOf(content: Uint8Array): FileKind {
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
