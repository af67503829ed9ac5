// Has timers and promises of the code have their turns while the script waits.
/** Pauses between the turns of the code while the script has timers of its own: with timers of the code, and without. */
const PAUSE_MS = 2
const LONGEST_PAUSE_MS = 16
/** A turn without timers. */
const NO_TIMERS = -1

class Turns {
  #judge
  /** Whether the code may have something to do, since its last turn. */
  #isBehind = false
  /** Callbacks of one call of `then`. */
  #thens = new Set()

  constructor(judge) {
    this.#judge = judge
  }

  /** The code gets callbacks for what it tells later. */
  noteThen(callbacks) {
    this.#thens.add(callbacks)
  }

  /** The code calls a function of the script. */
  noteCalled(thing) {
    for (const group of this.#thens) if (group.includes(thing)) this.#thens.delete(group)
  }

  /** Lets the code's timers and promises have their turn, and goes on as long as they do something. */
  take(ms) {
    // Time passes for the code's objects, too.
    this.#judge.forgetTold()
    this.#isBehind = false
    const judge = this.#judge
    const [own, { answered }] = [judge.takeSettled(), judge]
    const [isAlive, settled, unhandled] = this.#judge.ask('turn', ms, own)
    // Two such promises can wait for each other, and so can the script.
    if (settled.some(isPromise)) this.#judge.unproven = 'a promise of the code settles with a promise'
    this.#judge.settle(settled)
    for (const each of unhandled) {
      if (!this.#judge.handled.has(each)) apply(Promise.prototype.then, each, [undefined, this.#judge.failed])
    }
    const isProgress = own.length > 0 || settled.length > 0 || this.#judge.answered > answered
    if ((isAlive === true && ms !== NO_TIMERS) || isProgress) setImmediate(() => {})
    // Where the code waits for promises of the script, each of its steps takes longer than in one process.
    if ((isAlive === true || own.length > 0) && this.#judge.script.hasTimers) this.#judge.doubt ??= 'the order of timers of the code and of the script is not known'
    return isAlive === true
  }

  /** What the code was asked for can have left work for later: it gets a turn before the script goes on with others. */
  fallBehind() {
    if (this.#isBehind) return
    this.#isBehind = true
    process.nextTick(() => this.catchUp())
  }

  catchUp() {
    if (this.#isBehind) this.take(NO_TIMERS)
  }

  /** Lets the code have its turns while the script waits for timers of its own. */
  watch() {
    let pause = 1
    const wait = () => setTimeout(turn, pause).unref()
    const turn = () => {
      pause = this.take(0) ? PAUSE_MS : Math.min(pause * 2, LONGEST_PAUSE_MS)
      wait()
    }
    wait()
  }

  /** Why the end of the script does not show that it passed; undefined if it does. */
  get openEnd() {
    if (this.#judge.hasThenable && this.#judge.waits()) return 'the script waits for an object that is no promise'
    const isWaitedFor = ({ promise }) => this.#judge.handled.has(promise)
    if ([...this.#judge.pending.values()].some(isWaitedFor) || this.#thens.size > 0) return 'a promise of the code never settles'
    // The test runner fails what never ends, and keeps promises of its own.
    if (!this.#judge.script.hasRunner && this.#judge.waits()) return 'the script waits for a call or a value that never comes'
  }
}
