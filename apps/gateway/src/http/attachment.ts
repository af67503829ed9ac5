/**
 * Headers of bytes that a program made: hostile to whoever opens them, so they are for saving. No browser renders them, guesses
 * what they are, or runs a script of theirs.
 *
 * @param name of the file, without folders
 */
export function attachmentHeaders(name: string): Record<string, string> {
  const plain = name.replaceAll(/[^\w.-]/g, '_')
  // RFC 6266: those that do not know the second one take the first.
  const disposition = `attachment; filename="${plain}"; filename*=UTF-8''${encodeExtended(name)}`
  return {
    'content-type': 'application/octet-stream',
    'content-disposition': plain === name ? `attachment; filename="${name}"` : disposition,
    'content-security-policy': "sandbox; default-src 'none'",
    'cross-origin-resource-policy': 'same-origin',
  }
}

/** RFC 8187: what `encodeURIComponent` leaves, but for what means something there. */
function encodeExtended(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
