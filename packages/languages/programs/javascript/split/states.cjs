// What objects are like at one moment, to find out later what has changed of them. Runs nothing of them, and uses nothing
// that a program may have replaced meanwhile.
const { getOwnPropertyNames } = Object

/**
 * An object as it is now: its prototype, its keys, and for each of these the value, or the getter and the setter.
 *
 * @param keysOf which of its keys to look at: `ownKeys`, or `getOwnPropertyNames` for an object that keeps notes under symbols
 */
function stateOf(owner, keysOf = ownKeys) {
  const keys = keysOf(owner)
  const fields = []
  for (let at = 0; at < keys.length; at++) {
    const { get, set } = fieldOf(owner, keys[at])
    fields[2 * at] = get
    fields[2 * at + 1] = set
  }
  return { owner, keysOf, prototype: getPrototypeOf(owner), keys, fields }
}

/**
 * The first key that an object had in a state, or has now, and that has changed; `__proto__` for its prototype; undefined if none
 * has.
 *
 * @param changeable key of a property that may change
 */
function changedKey({ owner, keysOf, prototype, keys, fields }, changeable) {
  if (getPrototypeOf(owner) !== prototype) return '__proto__'
  const now = keysOf(owner)
  for (let at = 0; at < now.length || at < keys.length; at++) {
    const key = now[at]
    if (key !== keys[at]) return key ?? keys[at]
    if (key === changeable) continue
    const { get, set } = fieldOf(owner, key)
    if (!is(get, fields[2 * at]) || set !== fields[2 * at + 1]) return key
  }
}

/** The value of a property as `get`; or its getter and setter. A field of either kind may inherit the names of the other. */
function fieldOf(owner, key) {
  const field = getOwnPropertyDescriptor(owner, key)
  if (field === undefined) return { get: undefined, set: undefined }
  if (hasOwn(field, 'value')) return { get: field.value, set: undefined }
  return { get: field.get, set: field.set }
}
