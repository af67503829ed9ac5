/**
 * Headers for bytes that an untrusted program made. The browser saves them: it does not render them, sniff their type or run
 * their scripts.
 *
 * @param name of the file, without folders
 */
export function attachmentHeaders(name: string): Record<string, string> {
  const plain = name.replaceAll(/[^\w.-]/g, '_')
  // RFC 6266: clients that do not know `filename*` use `filename`.
  const disposition = `attachment; filename="${plain}"; filename*=UTF-8''${encodeExtended(name)}`
  return {
    'content-type': 'application/octet-stream',
    'content-disposition': plain === name ? `attachment; filename="${name}"` : disposition,
    'content-security-policy': "sandbox; default-src 'none'",
    'cross-origin-resource-policy': 'same-origin',
  }
}

/** RFC 8187: as `encodeURIComponent`, and also encodes the characters that have a meaning there. */
function encodeExtended(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
