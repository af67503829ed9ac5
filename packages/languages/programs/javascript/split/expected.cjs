// Objects that a script makes of what it expects, and whose fields it reads after the code could tell the same.
/** Maximum number of objects that are watched. */
const MAX_UNUSED = 10_000
/** Maximum number of remembered answers of one function. */
const MAX_ANSWERS = 200
/** Kinds of objects that code can make of what is expected. */
const MADE_KINDS = ['object', 'error', 'array', 'map', 'set']
/** Fields that say nothing, unless the script gave them. */
const COMMON_VALUES = [undefined, null, '', 0, false, true]

/**
 * The code sees what the script makes an object of its classes of. If the code tells such a value later, and the script reads
 * it from an object that it has not used for anything else, the script may compare what the code knows from it.
 */
class Expected {
  #judge
  #proofs
  /** Values → the fields that hold them. */
  #holders = new Map()
  /** Objects that the script has had made, and not used since → their fields, and when they were made. */
  #unused = new Map()
  /** Functions of the code that have made objects of the script's values, and these objects with their parts. */
  #makers = new WeakSet()
  #made = new WeakSet()
  /** Functions → what they told of objects, and when the code passed these. */
  #answers = new WeakMap()
  #passedAt = new WeakMap()
  #now = 0
  /** Fields whose values the code has told. */
  #due = new Set()
  #depth = 0

  constructor(judge, proofs) {
    this.#judge = judge
    this.#proofs = proofs
  }

  get isEmpty() {
    return this.#unused.size === 0
  }

  /**
   * Whether an object has all that is in the arguments of a function, and these are the script's. Once a function has made such
   * an object, its arguments can also be what was made so.
   */
  isMadeOf(thing, args, maker) {
    if (args.length === 0 || describe(thing)[0] !== 'object' || !hasValuesOf(thing, args)) return false
    if (!this.#hasOthers(args)) this.#makers.add(maker)
    const isOther = (part) => this.#judge.isOfOther(part) && !this.#made.has(part)
    return this.#makers.has(maker) && !allPartsOf(args).some(isOther)
  }

  /** Whether an object that is made of some arguments has nothing else. */
  isCopyOf(thing, args) {
    return !this.#hasOthers(args) && hasValuesOf(args, [thing])
  }

  /**
   * The script has had an object made of some values.
   *
   * @param isByFunction not by a constructor: what compares objects of constructors looks at how they were made
   */
  noteMade(thing, args, isByFunction = false) {
    const kind = describe(thing)[0]
    if (args.length === 0 || !MADE_KINDS.includes(kind)) return
    const given = new Set(args.flatMap(plainValuesOf))
    const fields = []
    if (kind === 'map' || kind === 'set') this.#addItems(thing, fields)
    for (const key of ownKeys(thing)) {
      const values = plainValuesOf(getOwnPropertyDescriptor(thing, key).value)
      const isTelling = values.length > 0 && values.every((value) => given.has(value) || !COMMON_VALUES.includes(value))
      if (!isTelling) continue
      const field = { thing, key, values, untold: new Set(values), isGiven: values.every((value) => given.has(value)) }
      fields.push(field)
      for (const value of field.untold) this.#holders.set(value, [...(this.#holders.get(value) ?? []), field])
    }
    if (isByFunction) for (const part of partsOf(thing)) this.#made.add(part)
    const isOfValues = !this.#hasOthers(args)
    this.#unused.set(thing, { fields, since: ++this.#now, isOfValues, isByFunction })
    if (this.#unused.size > MAX_UNUSED) this.noteUsed(this.#unused.keys().next().value)
  }

  /** The items of a map or set cannot be watched, so the object counts as read once the code has told all of them. */
  #addItems(thing, fields) {
    const values = itemsOf(thing, describe(thing)[0]).flatMap(plainValuesOf).filter((value) => !COMMON_VALUES.includes(value))
    if (values.length === 0) return
    const field = { thing, values, untold: new Set(values), isItems: true }
    fields.push(field)
    for (const value of field.untold) this.#holders.set(value, [...(this.#holders.get(value) ?? []), field])
  }

  #hasOthers(args) {
    return allPartsOf(args).some((part) => this.#judge.isOfOther(part))
  }

  /** The script uses an object: what is in it may be what the code found. */
  noteUsed(thing) {
    for (const field of this.#unused.get(thing)?.fields ?? []) field.release?.()
    this.#unused.delete(thing)
  }

  /** What is known of an object that the script had made; undefined if it has used it. */
  unused(thing) {
    return this.#unused.get(thing)
  }

  /** A call has not used an object after all, unless it changed it. */
  restoreUnused(thing, entry) {
    if (entry?.fields.every((field) => !hasChanged(field))) this.#unused.set(thing, entry)
  }

  /**
   * A method or accessor told something of an object. What the script has made and not used since must not tell the same as what
   * the code passed later, unless the script compares that with literals.
   */
  noteAnswer({ thing: ask, self, args, value }, unusedSince, isOwn) {
    const passedAt = isOwn ? undefined : this.#passedAt.get(self)
    const isTelling = value !== undefined && (args.length === 0 || value === null || !COMMON_VALUES.includes(value))
    if (!isTelling || (unusedSince ?? passedAt) === undefined) return
    const answers = this.#answers.get(ask) ?? []
    const answer = { self, args, value, unusedSince, passedAt, at: ++this.#now }
    const isLiteral = plainValuesOf(value).every((each) => this.#judge.script.comparedLiterals.has(each))
    const isOpen = (made, passed) => passed.passedAt < made.at || (!isLiteral && this.#unused.has(made.self))
    const isExpected = (made, passed) => made.unusedSince < passed.at && isOpen(made, passed)
    const isMatch = (made, passed) => made.self !== passed.self && isExpected(made, passed) && !this.#proofs.showsSame(made.self, passed.self)
    const matches = answers.filter((other) => isSameAnswer(other, answer))
    if (matches.some((other) => isMatch(answer, other) || isMatch(other, answer))) this.#read()
    this.#answers.set(ask, [...answers, answer].slice(-MAX_ANSWERS))
  }

  /** The code changed an object. It can only know by what it was made of that it is expected. */
  noteChanged(thing) {
    const { fields = [], isOfValues } = this.#unused.get(thing) ?? {}
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
    this.noteTold(ownPlainValues(thing))
  }

  /** The code passed an object. */
  notePassed(thing) {
    if (!this.#passedAt.has(thing)) this.#passedAt.set(thing, ++this.#now)
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
   * @param isSeen whether it sees an object of which that is known
   */
  withoutTraps(work, shown = [], isSeen = () => true) {
    if (this.#due.size === 0 && this.isEmpty) return work()
    this.#depth++
    const seen = shown.flatMap(partsOf)
    const isRead = ({ thing }) => seen.includes(thing) && isSeen(this.#unused.get(thing))
    this.#eachDue((field) => {
      if (field.release !== undefined && isRead(field)) this.#read()
      field.release?.()
    })
    const before = new Set(this.#due)
    try {
      return work()
    } finally {
      this.#depth--
      // What the code tells while it is compared, the script reads now.
      this.#eachDue((field) => !before.has(field) && isRead(field) && this.#read())
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
    if (field.isItems) return this.#read()
    const property = getOwnPropertyDescriptor(thing, key)
    // The script may have changed it.
    if (hasChanged(field)) return
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

/** Some values, and the objects in them. */
function allPartsOf(values) {
  return values.flatMap((value) => [value, ...partsOf(value)])
}

/** Whether an object has the values in some others, but for those that say nothing; there must be some. */
function hasValuesOf(thing, others) {
  const shown = new Set(plainValuesOf(thing))
  const given = others.flatMap(plainValuesOf).filter((value) => !COMMON_VALUES.includes(value))
  return given.length > 0 && given.every((value) => shown.has(value))
}

function hasChanged({ thing, key, values, isItems }) {
  return !isItems && !isDeepStrictEqual(plainValuesOf(getOwnPropertyDescriptor(thing, key)?.value), values)
}

/** Whether two answers to the same question are the same, or can only be compared by more questions. */
function isSameAnswer(one, other) {
  if (!showSame(one.args, other.args)) return false
  const kinds = [one, other].map(({ value }) => isThing(value) && describe(value)[0])
  if (kinds[0] === kinds[1] && REMOTE.has(kinds[0])) return kinds[0] !== 'function'
  return showSame(one.value, other.value)
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
