// Views of one buffer: they share their bytes in both processes.
/** Maximum number of views of one buffer among which another one's bytes are looked for. */
const MAX_VIEWS = 100

class Views {
  /** Buffers → what both processes have of their bytes. */
  #known = new WeakMap()

  note(thing) {
    const [buffer] = rangeOf(thing)
    this.#known.set(buffer, [...(this.#known.get(buffer) ?? []), thing].slice(-MAX_VIEWS))
  }

  /** What is shared and has all bytes of a view, and where they begin there; undefined if there is none. */
  find(view, isShared) {
    const [buffer, start, end] = rangeOf(view)
    for (const thing of this.#known.get(buffer) ?? []) {
      const [, first, last] = rangeOf(thing)
      if (first <= start && end <= last && isShared(thing)) return [thing, start - first]
    }
  }
}

/** The buffer of some bytes, and where in it they begin and end. */
function rangeOf(thing) {
  const end = viewed(thing, 'byteLength')
  if (isArrayBuffer(thing)) return [thing, 0, end]
  const start = viewed(thing, 'byteOffset')
  return [viewed(thing, 'buffer'), start, start + end]
}

/** A view of bytes of another object; undefined if there can be none. */
function viewOf(thing, name, length, offset) {
  const [buffer, start, end] = rangeOf(thing)
  const at = start + offset
  if (!Number.isSafeInteger(offset) || offset < 0 || !(length >= 0) || at + length > end) throw new Unreadable()
  if (name === 'ArrayBuffer') return at === 0 && length === buffer.byteLength ? buffer : undefined
  if (name === 'Buffer') return Buffer.from(buffer, at, length)
  const kind = KNOWN.get(name)
  const size = kind.BYTES_PER_ELEMENT ?? 1
  return at % size === 0 && length % size === 0 ? new kind(buffer, at, length / size) : undefined
}
