// Objects that a script makes of what it expects, and whose fields it reads after the code could tell the same.
/** Maximum number of objects that are watched, and of remembered answers of one function. */
const MAX_UNUSED = 200
/** Fields that say nothing, unless the script gave them. */
const COMMON_VALUES = [undefined, null, '', 0, false, true]

/**
 * The code sees what the script makes an object of its classes of. If the code tells such a value later, and the script reads
 * it from an object that it has not used for anything else, the script may compare what the code knows from it.
 */
class Expected {
  #judge
  /** Values → the fields that hold them. */
  #holders = new Map()
  /** Objects that the script has had made, and not used since → their fields, and when they were made. */
  #unused = new Map()
  /** Functions without arguments → what they told of objects that the code has passed, and when it passed them. */
  #answers = new WeakMap()
  #passedAt = new WeakMap()
  #now = 0
  /** Fields whose values the code has told. */
  #due = new Set()
  #depth = 0

  constructor(judge) {
    this.#judge = judge
  }

  get isEmpty() {
    return this.#unused.size === 0
  }

  /** The script has had an object made of some values. */
  noteMade(thing, args) {
    if (args.length === 0 || describe(thing)[0] !== 'object') return
    const given = new Set(args.flatMap(plainValuesOf))
    const fields = []
    for (const key of ownKeys(thing)) {
      const values = plainValuesOf(getOwnPropertyDescriptor(thing, key).value)
      const isTelling = values.length > 0 && values.every((value) => given.has(value) || !COMMON_VALUES.includes(value))
      if (!isTelling) continue
      const field = { thing, key, values, untold: new Set(values), isGiven: values.every((value) => given.has(value)) }
      fields.push(field)
      for (const value of field.untold) this.#holders.set(value, [...(this.#holders.get(value) ?? []), field])
    }
    this.#unused.set(thing, { fields, since: ++this.#now, isOfValues: !args.some((each) => this.#hasOthers(each)) })
    if (this.#unused.size > MAX_UNUSED) this.noteUsed(this.#unused.keys().next().value)
  }

  #hasOthers(value) {
    return partsOf(value).some((each) => this.#judge.isOfOther(each))
  }

  /** The script uses an object: what is in it may be what the code found. */
  noteUsed(thing) {
    for (const field of this.#unused.get(thing)?.fields ?? []) field.release?.()
    this.#unused.delete(thing)
  }

  /** When the script had an object made; undefined if it has used it. */
  unusedSince(thing) {
    return this.#unused.get(thing)?.since
  }

  /** A method or accessor told something of an object, which the script has made and not used since, or the code passed. */
  noteAnswer(ask, thing, value, unusedSince, isOwn) {
    if (isThing(value) || value === undefined) return
    const told = this.#answers.get(ask) ?? []
    if (unusedSince !== undefined && told.some(([other, at]) => at > unusedSince && is(other, value))) this.#read()
    const passedAt = isOwn ? undefined : this.#passedAt.get(thing)
    if (passedAt !== undefined) this.#answers.set(ask, [...told, [value, passedAt]].slice(-MAX_UNUSED))
  }

  /** The code changed an object. It can only know by what it was made of that it is expected. */
  noteChanged(thing) {
    const { fields = [], isOfValues } = this.#unused.get(thing) ?? {}
    const hasChanged = ({ key, values }) => !isDeepStrictEqual(plainValuesOf(getOwnPropertyDescriptor(thing, key)?.value), values)
    const changed = fields.filter((field) => field.isGiven && hasChanged(field))
    if (changed.length > 0 && !isOfValues) this.noteUsed(thing)
    else {
      for (const field of changed) {
        field.values = plainValuesOf(getOwnPropertyDescriptor(thing, field.key)?.value)
        this.#due.add(field)
      }
    }
  }

  /** The code told what an object holds. */
  noteContent(thing) {
    if (!this.#passedAt.has(thing)) this.#passedAt.set(thing, ++this.#now)
    this.noteTold(ownPlainValues(thing))
  }

  /** The code told some values. */
  noteTold(values) {
    for (const value of values) {
      for (const field of this.#holders.get(value) ?? []) {
        field.untold.delete(value)
        if (field.untold.size === 0) this.#due.add(field)
      }
      this.#holders.delete(value)
    }
    if (this.#depth === 0) this.#trapAll()
  }

  /**
   * Does something that reads fields, but not for the script.
   *
   * @param shown what the script sees of it nevertheless
   */
  withoutTraps(work, shown) {
    if (this.#due.size === 0 && this.isEmpty) return work()
    this.#depth++
    const seen = shown === undefined ? [] : partsOf(shown)
    this.#eachDue((field) => {
      if (field.release !== undefined && seen.includes(field.thing)) this.#read()
      field.release?.()
    })
    try {
      return work()
    } finally {
      this.#depth--
      if (this.#depth === 0) this.#trapAll()
    }
  }

  #trapAll() {
    this.#eachDue((field) => field.release === undefined && this.#trap(field))
  }

  #eachDue(work) {
    for (const field of this.#due) {
      if (this.#unused.has(field.thing)) work(field)
      else this.#due.delete(field)
    }
  }

  /** Takes note if the script reads a field. */
  #trap(field) {
    const { thing, key } = field
    const property = getOwnPropertyDescriptor(thing, key)
    // The script may have changed it.
    if (!isDeepStrictEqual(plainValuesOf(property?.value), field.values)) return
    // What is frozen cannot be watched: all of it must have been told.
    if (!property.configurable) {
      if (this.#unused.get(thing).fields.every(({ untold }) => untold.size === 0)) this.#read()
      return
    }
    field.release = () => {
      field.release = undefined
      defineProperty(thing, key, property)
    }
    const get = () => {
      field.release()
      this.#read()
      return property.value
    }
    const set = (value) => {
      this.noteUsed(thing)
      thing[key] = value
    }
    defineProperty(thing, key, { get, set, enumerable: property.enumerable, configurable: true })
  }

  #read() {
    this.#judge.unproven ??= 'the script reads from an object what it made it of, which the code has seen'
  }
}

/** The values without content in a value. Executes nothing. */
function plainValuesOf(value) {
  if (!isObject(value)) return isThing(value) ? [] : [value]
  return partsOf(value).flatMap(ownPlainValues)
}

/** The values without content that an object holds itself. */
function ownPlainValues(thing) {
  const kind = describe(thing)[0]
  const items = itemsOf(thing, kind)
  const fields = kind === 'array' || kind === 'bytes' ? [] : ownKeys(thing).map((key) => getOwnPropertyDescriptor(thing, key).value)
  return [...items, ...fields].filter((each) => !isThing(each) && each !== HOLE)
}
