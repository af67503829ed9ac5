// What properties and names of the code told: without anything in between, they tell the same again.
class Told {
  #told = new Map()
  /** Proxies → the proxy that the same property told first. */
  #aliases = new WeakMap()

  /** @param refuse ends the script for a reason */
  constructor(refuse) {
    this.refuse = refuse
  }

  /** Something else has happened, which may change everything. */
  clear() {
    this.#told.clear()
  }

  /** Whether an object is in what they told. */
  has(thing) {
    const objects = [...this.#told.values()].flatMap((all) => [...all.values()])
    return objects.some((values) => [...values.values()].some((value) => partsOf(value).includes(thing)))
  }

  /** A property that tells one value now and another one later, although nothing happened in between, is no value. */
  compare(getter, self, value, key) {
    const before = this.#before(getter, self)
    const was = before.get(key)
    const areFunctions = typeof was === 'function' && typeof value === 'function'
    if (before.has(key) && !areFunctions && !isDeepStrictEqual(was, value)) {
      this.refuse(`${String(key ?? getter.name)} tells changing values`)
    }
    before.set(key, value)
  }

  /** Two proxies that one property tells must tell the same. */
  alias(owner, key, proxy) {
    const before = this.#before(owner, undefined)
    const first = before.get(key)
    if (isProxy(first)) this.#aliases.set(proxy, first)
    else before.set(key, proxy)
  }

  /** The proxy that the same property told first. */
  firstOf(proxy) {
    return this.#aliases.get(proxy) ?? proxy
  }

  /** What a getter told of an object by its keys. */
  #before(getter, self) {
    const all = this.#told.get(getter) ?? new Map()
    this.#told.set(getter, all)
    const before = all.get(self) ?? new Map()
    all.set(self, before)
    return before
  }
}
