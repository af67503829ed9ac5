// Bytes: arrays of numbers, buffers, and views of them. Views of one buffer share their bytes in both processes.
/** Where bytes tell what they are, whatever they have of their own. */
const VIEW_OWNERS = [getPrototypeOf(Uint8Array.prototype), DataView.prototype, ArrayBuffer.prototype]
const VIEW_GETTERS = new Map(
  ['buffer', 'byteOffset', 'byteLength', 'length', Symbol.toStringTag].map((key) => [key, VIEW_OWNERS.map((owner) => getOwnPropertyDescriptor(owner, key)?.get)]),
)
/** Maximum number of views of one buffer among which another one's bytes are looked for. */
const MAX_VIEWS = 100

class Views {
  /** Buffers → what both processes have of their bytes. */
  #known = new WeakMap()
  #noted = new WeakSet()

  /** Whether both processes have some bytes, or had them once. */
  has(thing) {
    return this.#noted.has(thing)
  }

  note(thing) {
    this.#noted.add(thing)
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

function bytesNamed(name, thing) {
  return name === undefined ? ['proxy', 'object'] : ['bytes', name, viewed(thing, 'byteLength')]
}

/** The type of bytes; undefined if it is none of those that both processes have. */
function nameOfBytes(thing) {
  if (isDataView(thing)) return 'DataView'
  if (!isTypedArray(thing)) return isArrayBuffer(thing) ? 'ArrayBuffer' : undefined
  const name = viewed(thing, Symbol.toStringTag)
  if (name === 'Uint8Array' && Buffer.prototype === getPrototypeOf(thing)) return 'Buffer'
  return BYTES.includes(name) ? name : undefined
}

/** What bytes are, by a key that they may have as a property of their own, too; 0 of those that were given away. */
function viewed(thing, key) {
  const kind = isTypedArray(thing) ? 0 : isDataView(thing) ? 1 : 2
  const get = VIEW_GETTERS.get(key)[kind]
  try {
    return apply(get, thing, [])
  } catch {
    return 0
  }
}

function bytesOf(thing) {
  const [buffer, start, end] = rangeOf(thing)
  return start === end ? Buffer.alloc(0) : Buffer.from(buffer, start, end - start)
}

/** Another view of the same bytes. */
function sameBytes(thing, length) {
  return construct(KNOWN.get(viewed(thing, Symbol.toStringTag)), [viewed(thing, 'buffer'), viewed(thing, 'byteOffset'), length])
}

/** The bytes of an object were given to another one, as `transfer` does. Other objects may have bytes of the same buffer. */
function giveAway(thing) {
  const [buffer, start, end] = rangeOf(thing)
  if (end > start && end - start === viewed(buffer, 'byteLength')) apply(ArrayBuffer.prototype.transfer, buffer, [])
}
