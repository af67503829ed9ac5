// Whether a script and the code exchange nothing but plain values, which are the same in each process. If they exchange anything
// else, the worker has the verdict confirmed by a run of both in one process.

/** What shows more of a value than what it holds, or something of the process, or does something later. */
const REVEALING =
  /\b(?:async|await|console|constructor|eval|Function|global|globalThis|import|instanceof|is(?:Extensible|Frozen|Sealed)|module|process|Promise|Proxy|queueMicrotask|Reflect|set(?:Immediate|Interval|Timeout)|Symbol|this|typeof|vm|Weak\w+)\b|\b(?:get|has)Own|rototype|__\w+__|\bfor\s*\([^;)]*\sin\s/
/** A module that a script loads, unless it is one of assertions. */
const LOADING = /\brequire\s*(?!\(\s*(['"`])(?:node:)?assert(?:\/strict)?\1\s*\))/
/** Questions by which a script calls a function, or that come before its first statement and after its last one. */
const CALLS = new Set(['run', 'name', 'call', 'turn', 'state', 'stale'])
/** Objects that hold nothing but what shows, with the names of their prototypes. */
const SHOWING = { array: 'Array', object: 'Object', map: 'Map', set: 'Set', date: 'Date' }

class Exchange {
  #isPlain
  /** Whether a name is asked for, which stands for a function. */
  #isNaming = false
  #raised = 0
  /** Whether an array has passed that is so long that not all changes of it are seen. */
  #hasLong = false
  /** Whether an assertion failed in a function that the code called: in one process it could have hidden that. */
  hasHidden = false

  constructor(script) {
    this.#isPlain = !REVEALING.test(script) && !LOADING.test(script)
  }

  /** Takes note of something that is no plain value. */
  end() {
    this.#isPlain = false
  }

  /** Takes note of a question, and calls `ask` for its answer. */
  note(operation, values, ask) {
    const [thing, self] = values
    const isCall = operation === 'call'
    if (!CALLS.has(operation) || (isCall && (self !== undefined || typeof thing !== 'function'))) this.end()
    if (isCall && this.#hasLong) this.end()
    this.#isNaming = operation === 'name'
    try {
      const answer = ask()
      const isExpected = operation !== 'name' || (typeof answer === 'function' && !isProxy(answer))
      if (!isExpected) this.end()
      if (operation === 'run' && Array.isArray(answer) && answer.some((name) => /[.=]/.test(name) || TRUSTED.has(name))) this.end()
      if (operation === 'turn' && (answer?.[0] === true || answer?.[1]?.length > 0)) this.end()
      return answer
    } catch (error) {
      this.#raised++
      throw error
    } finally {
      this.#isNaming = false
    }
  }

  /** Takes note of an object that has passed for the first time. */
  noteThing(thing, kind) {
    if (this.#isNaming) return
    this.#hasLong ||= kind === 'array' && thing.length > LONG
    if (SHOWING[kind] === undefined || PROTOTYPE_NAMES.get(getPrototypeOf(thing)) !== SHOWING[kind]) this.end()
  }

  /** Whether the verdict needs no other run. An error of the code does, if the script went on after it. */
  isConclusive(end) {
    return this.hasHidden || (this.#isPlain && (this.#raised === 0 || (this.#raised === 1 && end === 'error')))
  }
}
