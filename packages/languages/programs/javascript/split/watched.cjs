// Functions of Node by which a script judges, in the judge.
const COMPARISONS = ['deepEqual', 'deepStrictEqual', 'partialDeepStrictEqual']
const IDENTITIES = ['equal', 'strictEqual']
const DIFFERENCES = ['notEqual', 'notStrictEqual', 'notDeepEqual', 'notDeepStrictEqual']

/** Has functions of Node refuse what only the code could decide. */
function watchComparisons(judge) {
  const watch = (owner, name) => {
    replaceMethod(owner, name, (compare, self, args) => judge.comparisons.compare(args[0], args[1], () => apply(compare, self, args)))
  }
  const owners = [assert, assert.strict, assert.Assert?.prototype].filter((owner) => owner !== undefined)
  for (const owner of owners) for (const name of COMPARISONS) watch(owner, name)
  watch(util, 'isDeepStrictEqual')
  for (const owner of owners) {
    for (const name of DIFFERENCES) watchResult(owner, name, (one, other) => judge.comparisons.noteDifference(one, other, name.startsWith('notDeep')))
    for (const name of IDENTITIES) watchResult(owner, name, (one, other) => judge.comparisons.noteSame(one, other))
    watchThrown(owner, 'throws', judge)
    watchThrown(owner, 'rejects', judge)
  }
  util.inspect = new Proxy(util.inspect, {
    apply: (inspect, self, args) => judge.comparisons.inspect(args[0], () => apply(inspect, self, args)),
  })
  judge.opaqueThings.add(util.inspect)
  const { toString } = Function.prototype
  Function.prototype.toString = {
    toString() {
      if (judge.isOfOther(this)) judge.unverified('only the code has the text of its functions')
      return apply(toString, this, [])
    },
  }.toString
  JSON.stringify = {
    stringify(value, ...more) {
      return judge.comparisons.stringify(value, () => stringify(value, ...more))
    },
  }.stringify
  const { assert: warn } = console
  console.assert = {
    assert(isTrue, ...more) {
      if (!isTrue) judge.unproven ??= 'console.assert fails, which ends no script'
      return apply(warn, this, [isTrue, ...more])
    },
  }.assert
}

/** Puts a function in place of a method, which gets that, its object and all arguments: how many there are can matter. */
function replaceMethod(owner, name, call) {
  const method = owner[name]
  const replaced = {
    [name](...args) {
      return call(method, this, args)
    },
  }[name]
  defineProperty(replaced, 'length', { value: method.length })
  owner[name] = replaced
}

/** Has an assertion about two values tell them, if it holds. */
function watchResult(owner, name, note) {
  replaceMethod(owner, name, (compare, self, args) => {
    apply(compare, self, args)
    note(args[0], args[1])
  })
}

/** Has the code not decide which error a script expects. */
function watchThrown(owner, name, judge) {
  const watched = (work, expected) => {
    const keep = (error) => {
      judge.comparisons.noteExpectedError(error, expected)
      throw error
    }
    const watchPromise = (value) => (isPromise(value) ? apply(Promise.prototype.then, value, [undefined, keep]) : value)
    if (typeof work !== 'function') return watchPromise(work)
    return () => {
      let value
      try {
        value = work()
      } catch (error) {
        keep(error)
      }
      return watchPromise(value)
    }
  }
  replaceMethod(owner, name, (check, self, args) => {
    const [work, expected, ...more] = args
    const isWatched = isThing(expected) && !isRegExp(expected)
    return apply(check, self, isWatched ? [watched(work, expected), expected, ...more] : args)
  })
}
