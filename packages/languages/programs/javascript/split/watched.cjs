// Functions of Node by which a script judges, in the judge.
const COMPARISONS = ['deepEqual', 'deepStrictEqual', 'partialDeepStrictEqual']

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
