// Whether objects of the code are equal: by what they show of what the script has had them made of.
/** Maximum number of objects of one class whose making is remembered. */
const MAX_COMPARED = 100

class Proofs {
  #judge
  /** Number of objects that the script has had made, and of changes by the code. */
  #made = 0
  /** Objects of the code's classes that the script made, and that show what they were made of → when. */
  #proven = new WeakMap()
  /** Those that do not show it. */
  #opaque = new WeakSet()
  /** Objects that a constructor returned more than once. */
  #reused = new WeakSet()
  /** Objects that a call changed and gave as its answer. */
  #remade = new WeakSet()
  /** Fields of the objects that the script has had made, and what they were made of, by their prototypes. */
  #madeOf = new Map()
  /** When the code told the content of an object. */
  #filled = new WeakMap()
  /** When the code last changed an object. */
  #altered = new WeakMap()
  /** Objects that change while the code makes another one. */
  #changedNow = undefined
  /** Objects that the script has passed to the code. */
  #passed = new WeakSet()
  /** Objects that the script has had made → what they were made of. */
  #args = new WeakMap()
  /** Objects that showed what the script had them made of → when, whatever was asked of them since. */
  #shown = new WeakMap()
  /** When the code first got an object from the script after it was made: as an argument, or as the object of a call. */
  #usedAt = new WeakMap()
  /** Prototypes → whether all objects that the script has had made show what they were made of. */
  #classes = new Map()
  /** Those that no method may have changed since. */
  #unchanged = new WeakSet()

  constructor(judge) {
    this.#judge = judge
  }

  /** The code has told the content of an object, or will tell it when it is asked. */
  noteTold(thing, isAsked) {
    this.#filled.set(thing, isAsked ? Infinity : this.#made)
  }

  noteChanged(thing) {
    this.#proven.delete(thing)
    this.#unchanged.delete(thing)
    this.#altered.set(thing, ++this.#made)
    this.#changedNow?.add(thing)
  }

  /** A method of an object can change what it is. */
  noteCalled(thing, isComparison) {
    this.#proven.delete(thing)
    if (!isComparison) this.#unchanged.delete(thing)
  }

  notePassed(thing) {
    this.#passed.add(thing)
    this.noteUsed(thing)
  }

  /** The script uses an object for something else than a comparison. Returns whether that is new. */
  noteUsed(thing) {
    if (!isObject(thing) || this.#usedAt.has(thing)) return false
    this.#usedAt.set(thing, ++this.#made)
    return true
  }

  forgetUse(thing) {
    this.#usedAt.delete(thing)
  }

  /**
   * Has an object made.
   *
   * @param make asks the code for it
   * @param isNew whether an object is one that the code had not passed before
   */
  make(make, args, isNew) {
    const now = ++this.#made
    const changed = new Set()
    const outer = this.#changedNow
    this.#changedNow = changed
    let made
    try {
      made = make()
    } finally {
      this.#changedNow = outer
    }
    if (!isObject(made)) return made
    const isChanged = changed.delete(made)
    if (!isNew(made) && args.length > 0) this.#reused.add(made)
    if (!isNew(made) && isChanged) this.#remade.add(made)
    const prototype = getPrototypeOf(made)
    this.#checkOthers(changed, prototype, args)
    this.#checkShown(changed, args, made)
    const fields = fieldsOf(made)
    const others = this.#madeOf.get(prototype) ?? []
    this.#madeOf.set(prototype, [...others, [args, fields]].slice(-MAX_COMPARED))
    const isHidden = others.some(([given, left]) => isDeepStrictEqual(left, fields) && !isDeepStrictEqual(given, args))
    const isShown = !isHidden && showsAll(args, made)
    if (isShown) this.#proven.set(made, now)
    else this.#opaque.add(made)
    if (isShown) this.#shown.set(made, now)
    this.#classes.set(prototype, isShown && this.#classes.get(prototype) !== false)
    this.#args.set(made, args)
    this.#unchanged.add(made)
    return made
  }

  /**
   * Has a function answer. Objects that the code has told before must not become what the answer is: the script could have made
   * the expected object.
   */
  answer(ask, self, args) {
    const outer = this.#changedNow
    const changed = new Set()
    this.#changedNow = changed
    let value
    try {
      value = ask()
    } finally {
      this.#changedNow = outer
      for (const each of changed) outer?.add(each)
    }
    if (!isObject(value)) return value
    const given = [self, ...args].flatMap(partsOf)
    if (changed.delete(value) && args.length > 0 && !given.includes(value)) this.#remade.add(value)
    this.#checkShown(changed, given, value)
    return value
  }

  /** Objects that the code has told must not take what it learns when the script makes the expected one. */
  #checkOthers(changed, prototype, args) {
    for (const each of changed) {
      if (!isObject(each) || args.includes(each) || getPrototypeOf(each) !== prototype) continue
      const fields = ownKeys(each).map((key) => getOwnPropertyDescriptor(each, key).value)
      if (args.some((arg) => fields.some((field) => isDeepStrictEqual(field, arg)))) {
        this.#judge.unverified('an object changed to what another one was made of')
      }
    }
  }

  /** Nor must they become what a new object shows. */
  #checkShown(changed, given, made) {
    const parts = partsOf(made)
    const others = [...changed].filter((each) => !given.includes(each) && !parts.includes(each))
    const isShown = (each) => saysSomething(each) && parts.some((part) => isDeepStrictEqual(each, part))
    if (others.some(isShown)) this.#judge.unverified('an object changed to what another one was made of')
  }

  isMade(thing) {
    return this.#proven.has(thing) || this.#opaque.has(thing)
  }

  /** Whether two objects that the script made are as it made them, or were made of the same. */
  areAsMade(one, other) {
    const areUnchanged = this.#unchanged.has(one) && this.#unchanged.has(other)
    return areUnchanged || isDeepStrictEqual(this.#args.get(one), this.#args.get(other))
  }

  /** Whether a value has an object that does not show what it was made of. */
  hidesSomething(value) {
    return this.#instances(value).some((each) => this.#opaque.has(each))
  }

  /**
   * Two equal objects of the code are so by what they show. One must show what the script made it of, and the code must have
   * told the other one before it knew that.
   */
  compare(one, other) {
    let [ones, others] = [this.#instances(one), this.#instances(other)]
    this.#checkShared(ones, new Set(others))
    this.#checkLate(one, other)
    if (one === other) this.checkSame(one)
    if (one === other && !this.#reused.has(one)) return
    if (ones.length === 0) ones = this.#plainOnes(one, others)
    else if (others.length === 0) others = this.#plainOnes(other, ones)
    if (ones.length === 0 || others.length === 0) return
    if (ones.some((each) => this.#reused.has(each))) this.#judge.unverified('a constructor gives an object that it made of something else')
    if (this.#proves(ones, others) || this.#proves(others, ones)) return
    if (this.#wereGiven(ones, others) || this.#wereGiven(others, ones) || this.#areShown([...ones, ...others])) return
    this.#judge.unverified('only the code could tell whether two of its objects are equal')
  }

  /** Two objects that tell their fields when they are asked can tell what the script made one of them of. */
  #checkLate(one, other) {
    const [ones, others] = [one, other].map((each) => partsOf(each).filter((part) => this.#judge.isOfOther(part)))
    const isLate = (each) => this.#filled.get(each) === Infinity
    if (one !== other && ones.length > 0 && others.length > 0 && [...ones, ...others].some(isLate)) {
      this.#judge.unverified('only the code could tell whether two of its objects are equal')
    }
  }

  /** Two names stand for one object, which must not have changed to be it. */
  checkSame(thing) {
    if (this.#remade.has(thing)) this.#judge.unverified('a function gives an object that it made of something else')
  }

  #proves(ones, others) {
    if (!ones.every((each) => this.#proven.has(each) && !this.#isAltered(each, this.#proven.get(each)))) return false
    const first = Math.min(...ones.map((each) => this.#proven.get(each)))
    return others.every((each) => this.#proven.has(each) || this.#isOlder(each, first))
  }

  /** Whether the code told an object before the script made another one that shows the same. */
  showsSame(made, passed) {
    const at = this.#shown.get(made)
    if (at === undefined || [made, passed].some((each) => this.#isAltered(each, at))) return false
    return this.#isOlder(passed, at) && isDeepStrictEqual(made, passed)
  }

  /** Whether the script had the code use some objects, which show what they were made of, before the code told the others. */
  #wereGiven(ones, others) {
    const isGiven = (each) => this.#usedAt.has(each) && this.#shown.has(each) && !this.#isAltered(each, this.#shown.get(each))
    if (!ones.every(isGiven)) return false
    const last = Math.max(...ones.map((each) => this.#usedAt.get(each)))
    return others.every((each) => this.#filled.get(each) >= last && this.#filled.get(each) !== Infinity)
  }

  /** Whether the code told all objects, and their classes have shown in others what they are made of. */
  #areShown(all) {
    const isOfShown = (each) => this.#filled.get(each) !== Infinity && this.#classes.get(getPrototypeOf(each)) === true
    return all.every((each) => !this.isMade(each) && !this.#shown.has(each) && isOfShown(each))
  }

  /** Whether the code has changed something in an object since. */
  #isAltered(thing, since) {
    return partsOf(thing).some((part) => this.#altered.get(part) > since)
  }

  /** Whether the code told an object and all that is in it before. */
  #isOlder(thing, first) {
    const isOld = (part) => this.#proven.has(part) || !(this.#filled.get(part) >= first)
    return this.#filled.get(thing) < first && partsOf(thing).every(isOld)
  }

  /** An object that the script has only made, and never passed, is not what the code can have found. */
  #checkShared(ones, others) {
    if (ones.some((each) => others.has(each) && this.isMade(each) && !this.#passed.has(each))) {
      this.#judge.unverified('the code gives back an object of which it only knows what it was made of')
    }
  }

  /** The code's objects without a class in a value, if it is compared with such an object of a constructor. */
  #plainOnes(value, instances) {
    const isPlain = instances.some((each) => !this.#judge.isOfOther(getPrototypeOf(each)))
    return isPlain ? partsOf(value).filter((each) => this.#judge.isOfOther(each)) : []
  }

  /** The objects in a value that are of the code's classes, or that its constructors gave. */
  #instances(value) {
    return partsOf(value).filter((each) => this.#judge.isOfOther(getPrototypeOf(each)) || this.isMade(each))
  }
}

/** Whether an object holds a value that could be what was given. */
function saysSomething(thing) {
  return plainValuesOf(thing).some((value) => !COMMON_VALUES.includes(value))
}

/** The values of an object's properties and items. */
function fieldsOf(thing) {
  const fields = ownKeys(thing).map((key) => getOwnPropertyDescriptor(thing, key).value)
  return isMap(thing) || isSet(thing) ? [...fields, ...itemsOf(thing, describe(thing)[0])] : fields
}

/** The objects in a value, and itself. */
function partsOf(value) {
  const found = new Set(isObject(value) ? [value] : [])
  for (const each of found) for (const part of fieldsOf(each)) if (isObject(part)) found.add(part)
  return [...found]
}

/**
 * Whether an object shows what it was made of: each value is a field, in the order of the parameters, or all of them are one
 * list, or they are one object with the same fields. Other fields must be empty, or the length of one of them.
 */
function showsAll(given, made) {
  const fields = fieldsOf(made)
  return showsEach(given, fields) || (given.length > 1 && showsEach([given], fields)) || showsNamed(given, made)
}

function showsEach(given, fields) {
  let at = 0
  for (const field of fields) {
    if (at < given.length && isDeepStrictEqual(field, given[at])) at++
    else if (!isEmpty(field) && !isLength(field, fields)) return false
  }
  return at === given.length
}

/** Whether a field is the number of rows or columns of another one. Executes nothing. */
function isLength(field, fields) {
  if (typeof field !== 'number') return false
  const rows = fields.filter((each) => Array.isArray(each) && !isProxy(each))
  const firstRows = rows.map((each) => propertyOf(each, '0')).filter((each) => Array.isArray(each) && !isProxy(each))
  return [...rows, ...firstRows].some((each) => each.length === field)
}

function showsNamed([options, ...more], made) {
  if (more.length > 0 || !isObject(options) || getPrototypeOf(options) !== Object.prototype) return false
  const keys = ownKeys(made)
  const value = (thing, key) => getOwnPropertyDescriptor(thing, key)?.value
  return (
    ownKeys(options).every((key) => keys.includes(key) && isDeepStrictEqual(value(made, key), value(options, key))) &&
    keys.every((key) => hasOwn(options, key) || isEmpty(value(made, key)))
  )
}

/** Whether a field holds nothing that could be what was given. */
function isEmpty(field) {
  if (typeof field !== 'object' || field === null) return !field || field === true || typeof field === 'function'
  if (isMap(field) || isSet(field)) return itemsOf(field, describe(field)[0]).length === 0
  return ownKeys(field).every((key) => key === 'length')
}
