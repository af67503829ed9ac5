// What properties and names of the code told: without anything in between, they tell the same again.
class Told {
  #told = new Map()
  /** Proxies and objects → those that the same property told first. */
  #aliases = new WeakMap()

  /** @param refuse ends the script for a reason */
  constructor(refuse) {
    this.refuse = refuse
  }

  /** Something else has happened, which may change everything. */
  clear() {
    this.#told.clear()
    this.#aliases = new WeakMap()
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
    const now = key === undefined && !isProxy(self) ? propertyOf(self, functionName(getter).replace(/^get /, '')) : undefined
    if (now !== undefined && !isThing(now) && !is(now, value)) this.refuse(`${functionName(getter)} tells one value, and then becomes another one`)
    const areFunctions = typeof was === 'function' && typeof value === 'function'
    if (before.has(key) && !areFunctions && !isDeepStrictEqual(was, value)) {
      this.refuse(`${String(key ?? functionName(getter))} tells changing values`)
    }
    if (before.has(key)) this.#pair(was, value)
    else before.set(key, value)
  }

  /** An object that a property makes anew each time must tell what the first one told; so must those in a list. */
  #pair(was, value) {
    if (was === value || !isThing(was) || !isThing(value) || isProxy(was)) return
    this.#aliases.set(value, this.firstOf(was))
    if (Array.isArray(was) && Array.isArray(value)) was.forEach((each, at) => this.#pair(each, propertyOf(value, String(at))))
  }

  /** Two proxies that one property tells must tell the same. */
  alias(owner, key, proxy) {
    const before = this.#before(owner, undefined)
    const first = before.get(key)
    if (isProxy(first)) this.#aliases.set(proxy, first)
    else before.set(key, proxy)
  }

  /** The proxy or the object that the same property told first. */
  firstOf(thing) {
    return this.#aliases.get(thing) ?? thing
  }

  /** What a getter told of an object by its keys. */
  #before(getter, self) {
    const all = this.#told.get(getter) ?? new Map()
    this.#told.set(getter, all)
    const first = this.firstOf(self)
    const before = all.get(first) ?? new Map()
    all.set(first, before)
    return before
  }
}
