// Functions of Node by which a script judges, in the judge.
const COMPARISONS = ['deepEqual', 'deepStrictEqual', 'partialDeepStrictEqual']
const IDENTITIES = ['equal', 'strictEqual']
const DIFFERENCES = ['notEqual', 'notStrictEqual', 'notDeepEqual', 'notDeepStrictEqual']

/** Has functions of Node refuse what only the code could decide. */
function watchComparisons(judge) {
  const watch = (owner, name) => {
    const compare = owner[name]
    const watched = {
      [name](one, other, ...more) {
        return judge.compare(one, other, () => compare.call(this, one, other, ...more))
      },
    }[name]
    defineProperty(watched, 'length', { value: compare.length })
    owner[name] = watched
  }
  const owners = [assert, assert.strict, assert.Assert?.prototype].filter((owner) => owner !== undefined)
  for (const owner of owners) for (const name of COMPARISONS) watch(owner, name)
  watch(util, 'isDeepStrictEqual')
  for (const owner of owners) {
    for (const name of DIFFERENCES) watchResult(owner, name, (one, other) => judge.noteDifference(one, other, name.startsWith('notDeep')))
    for (const name of IDENTITIES) watchResult(owner, name, (one, other) => judge.noteSame(one, other))
    watchThrown(owner, 'throws', judge)
    watchThrown(owner, 'rejects', judge)
  }
  util.inspect = new Proxy(util.inspect, {
    apply: (inspect, self, args) => judge.inspect(args[0], () => apply(inspect, self, args)),
  })
  const { toString } = Function.prototype
  Function.prototype.toString = {
    toString() {
      if (judge.isOfOther(this)) judge.unverified('only the code has the text of its functions')
      return apply(toString, this, [])
    },
  }.toString
  JSON.stringify = {
    stringify(value, ...more) {
      return judge.stringify(value, () => stringify(value, ...more))
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

/** Has an assertion about two values tell them, if it holds. */
function watchResult(owner, name, note) {
  const compare = owner[name]
  owner[name] = {
    [name](one, other, ...more) {
      apply(compare, this, [one, other, ...more])
      note(one, other)
    },
  }[name]
}

/** Has the code not decide which error a script expects. */
function watchThrown(owner, name, judge) {
  const check = owner[name]
  const watched = (work, expected) => {
    const keep = (error) => {
      judge.noteExpectedError(error, expected)
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
  owner[name] = {
    [name](work, expected, ...more) {
      const isWatched = isThing(expected) && !isRegExp(expected)
      return apply(check, this, [isWatched ? watched(work, expected) : work, expected, ...more])
    },
  }[name]
}
