// The code's process: runs the code, and answers what the judge asks of it.
const { promiseHooks } = require('node:v8')
const { isBuiltin } = require('node:module')
const { reallyExit, getActiveResourcesInfo, cwd } = process
const { setImmediate, setTimeout, clearTimeout, queueMicrotask } = globalThis
const nextTick = process.nextTick.bind(process)
const nextTurn = (after) => apply(setImmediate, undefined, [after])

/** Words that are no names of variables. */
const RESERVED = new Set(
  'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield'.split(' '),
)

/** Objects that the code can change, and at which a script could look. */
const OWNERS = [...BUILT_IN_OWNERS, ['Intl', Intl]]
/** Globals that programs replace. Only those that the code names are looked at, because Node loads some of them then. */
const REPLACED_GLOBALS = 'setTimeout setInterval setImmediate clearTimeout clearInterval clearImmediate queueMicrotask structuredClone fetch URL URLSearchParams Date Math JSON Promise Error Object Array Map Set Symbol Number String RegExp performance crypto AbortController AbortSignal Event EventTarget TextEncoder TextDecoder'.split(' ')
const PROCESS_PARTS = ['stdout', 'stderr', 'exitCode', 'argv', 'env', 'emitWarning', 'umask', 'nextTick', 'hrtime', 'exit']
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u

class Server {
  #bindings = { __proto__: null }
  /** Promises of the script that rejected, and that nothing of the code handles. */
  #unhandled = []
  #exports
  /** The state of this process, after the code ran. */
  #state
  /** What had changed when the code got a turn: the code can have put it back by the end. */
  #changedName
  #isStale = false

  constructor(channel, code, given) {
    this.code = code
    this.given = given
    this.opaque = new Set([globalThis, process, given.module, given.require, console])
    const lent = new Set()
    this.peer = new Peer(
      channel,
      {
        ...operationsOn(lent),
        run: () => this.run(),
        state: () => this.#changedName ?? this.#state.changedName(),
        stale: () => this.#isStale || this.peer.forgotten.hasChanged(this.peer.hooks.originals),
        handled: (promise) => this.peer.handled.has(promise),
        name: (name) => (name === 'module.exports' ? this.#exports() : this.#bindings[name].get()),
        assign: (name, value) => this.#bindings[name].set(value),
        get: (thing, key) => Reflect.get(thing, key),
        set: (thing, key, value) => Reflect.set(thing, key, value),
        has: (thing, key) => Reflect.has(thing, key),
        delete: (thing, key) => Reflect.deleteProperty(thing, key),
      },
      {
        originals: new Map(),
        printed: takenOutput,
        // What they are, only this process knows.
        describe: (thing) => (this.opaque.has(thing) ? ['proxy', typeof thing] : undefined),
        onSettled: () => this.wake?.(),
        inherits: () => {
          this.#changedName ??= 'the prototype of an object'
        },
        changedLate: () => {
          this.#changedName ??= 'an object right after a promise gave it'
        },
      },
    )
    this.peer.lent = lent
    promiseHooks.onInit((_, parent) => this.peer.noteHandled(parent))
    process.on('unhandledRejection', (reason, promise) => {
      if (this.peer.mirrors.has(promise)) this.#unhandled.push(promise)
      else if (process.listenerCount('unhandledRejection') === 1) throw reason
    })
  }

  /** Answers without a pause until the judge has nothing to do but wait: meanwhile nothing else may happen here. */
  serve() {
    for (;;) {
      const [operation, values] = this.peer.receive()
      if (operation === 'turn') return this.turn(...values)
      this.peer.answer(operation, values)
      this.peer.done()
    }
  }

  /** Lets timers and promises of the code have their turn, until one of its promises settles or the time is over. */
  turn(ms, settled) {
    // Before the code can put back what the script could see by now.
    this.#changedName ??= this.#state.changedName()
    this.#isStale ||= this.peer.forgotten.hasChangedYet(this.peer.hooks.originals)
    this.peer.settle(settled)
    const answer = () => {
      this.wake = undefined
      this.peer.reply('ok', [isAlive(), this.peer.takeSettled(), this.#unhandled.splice(0)])
      this.peer.done()
      this.serve()
    }
    // After all that is ready now, and before any timer.
    if (ms < 0) return queueMicrotask(() => nextTick(guarded(answer)))
    nextTurn(guarded(() => {
      if (ms === 0 || this.peer.settled.length > 0 || !isAlive()) return answer()
      const timer = setTimeout(guarded(answer), ms)
      this.wake = () => {
        this.wake = undefined
        clearTimeout(timer)
        nextTurn(guarded(answer))
      }
    }))
  }

  /** Runs the code. Returns the names that it defines. */
  run() {
    const { __filename: file, module } = this.given
    const text = translated(this.code, file)
    const words = new Set(text.match(/(?<![\p{ID_Continue}$])[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/gu))
    // Only those that the code names: Node loads many of its globals when they are looked at.
    const before = new Map(ownKeys(globalThis).map((key) => [key, words.has(key) ? getOwnPropertyDescriptor(globalThis, key) : undefined]))
    this.#state = new ProcessState(modulesIn(text), REPLACED_GLOBALS.filter((name) => words.has(name)))
    this.#state.note()
    // The code finds itself where a program without a judge does.
    writeFileSync(file, this.code)
    compile(text, file).runInThisContext({ displayErrors: false })
    this.#exports = () => module.exports
    const found = this.#lookUp(text, words, before)
    for (const [name, binding] of [...Object.entries(found), ...this.#exported(module)]) this.#bindings[name] ??= binding
    const members = this.#changedMembers()
    this.#state.note()
    const computed = [...computedIn(globalThis, before), ...computedIn(module.exports, new Map())]
    return [...Object.keys(this.#bindings), ...computed, ...members, ...(DIRECTIVE.test(text) ? [STRICT] : [])]
  }

  /** The members that the code has added to built-in types, as names; and those that it has replaced, as `name=`. */
  #changedMembers() {
    const { added, replaced } = this.#state.changedMembers()
    for (const [name, value] of added) this.#bindings[name] ??= { get: () => value }
    return [...added.map(([name]) => name), ...replaced.map((name) => `${name}=`)]
  }

  /** Finds the variables among all words of the code: no other way shows those of `let`, `const` and `class`. */
  #lookUp(text, words, before) {
    for (const key of ownKeys(globalThis)) if (typeof key === 'string' && !before.has(key)) words.add(key)
    let parameter = 'found'
    while (words.has(parameter)) parameter += '_'
    const entries = [...words]
      .filter((word) => IDENTIFIER.test(word) && !RESERVED.has(word) && !hasOwn(this.given, word))
      // Node loads some of its globals only when they are read.
      .filter((word) => before.get(word)?.get === undefined || RegExp(`\\b(class|function|const|let|var)\\s+${word}\\b`).test(text))
      .map((word) => `try { ${word}; ${parameter}(${stringify(word)}, () => ${word}, (value) => { ${word} = value }) } catch {}`)
    const found = { __proto__: null }
    runInThisContext(`(${parameter}) => {${entries.join('\n')}}`)((name, get, set) => {
      if (!isSameGlobal(name, before) || !is(get(), globalThis[name])) found[name] = { get, set }
    })
    return found
  }

  #exported(module) {
    const { exports } = module
    if (typeof exports === 'function' && exports.name !== '') return [[exports.name, { get: () => module.exports }]]
    if (typeof exports !== 'object' || exports === null) return []
    return Object.keys(exports).filter((name) => IDENTIFIER.test(name)).map((name) => [name, { get: () => module.exports[name], set: (value) => (module.exports[name] = value) }])
  }
}

/** The names that have a value only when they are read, but for those that were there before. */
function computedIn(owner, before) {
  if (typeof owner !== 'object' || owner === null || isProxy(owner)) return []
  const names = ownKeys(owner).filter((key) => typeof key === 'string' && !before.has(key))
  return names.filter((key) => getOwnPropertyDescriptor(owner, key).get !== undefined).map((key) => COMPUTED + key)
}

/** What a program can change in its process. Uses nothing that it could have replaced, once it runs. */
class ProcessState {
  #owners
  #states = []
  #folder
  #exitCode

  constructor(modules, globals) {
    const known = new Set(OWNERS.map(([, owner]) => owner))
    const roots = [...modules, ...globals.map((name) => [name, globalThis[name]])].filter(([, root]) => isThing(root))
    const parts = roots.flatMap(([name, root]) => [[name, root], [`${name}.prototype`, propertyOf(root, 'prototype') ?? getPrototypeOf(root)], ...prototypesIn(name, root)])
    // Node keeps notes of its own under symbols.
    const ofNode = [['console', console], ...parts.filter(([, owner]) => isThing(owner) && !known.has(owner))].map((each) => [...each, getOwnPropertyNames])
    const single = [['globalThis', globalThis, () => globals], ['process', process, () => PROCESS_PARTS], ...['stdout', 'stderr'].map((name) => [`process.${name}`, process[name], () => ['write']])]
    this.#owners = [...OWNERS, ...ofNode, ...single].map(([name, owner, keysOf]) => ({ name, owner, keysOf }))
  }

  /** Takes note of how all is now. */
  note() {
    for (let at = 0; at < this.#owners.length; at++) {
      const { name, owner, keysOf } = this.#owners[at]
      this.#states[at] = { name, state: stateOf(owner, keysOf) }
    }
    this.#folder = apply(cwd, process, [])
    this.#exitCode = process.exitCode
  }

  /** The name of something that has changed since then; undefined if all is as it was. */
  changedName() {
    for (let at = 0; at < this.#states.length; at++) {
      const { name, state } = this.#states[at]
      const key = changedKey(state)
      if (key !== undefined) return `${name}.${typeof key === 'symbol' ? 'Symbol' : key}`
    }
    if (apply(cwd, process, []) !== this.#folder) return 'the folder'
    // Its getter is as it was.
    if (process.exitCode !== this.#exitCode) return 'process.exitCode'
  }

  /** The members that were added to built-in types since then, with their values; and those that were replaced. */
  changedMembers() {
    const [added, replaced] = [[], []]
    for (let at = 0; at < OWNERS.length; at++) {
      const { name: type, state } = this.#states[at]
      const places = { __proto__: null }
      for (let key = 0; key < state.keys.length; key++) places[state.keys[key]] = key
      const keys = getOwnPropertyNames(state.owner)
      for (let key = 0; key < keys.length; key++) {
        const name = `${type}.${keys[key]}`
        const { get: value } = fieldOf(state.owner, keys[key])
        const place = places[keys[key]]
        if (place === undefined) added[added.length] = [name, value]
        else if (!is(state.fields[2 * place], value)) replaced[replaced.length] = name
      }
    }
    return { added, replaced }
  }
}

/** The prototypes of the classes that a module exports. */
function prototypesIn(name, module) {
  const keys = getOwnPropertyNames(module)
  const classes = keys.map((key) => [key, getOwnPropertyDescriptor(module, key).value]).filter(([, value]) => typeof value === 'function')
  return classes.map(([key, value]) => [`${name}.${key}.prototype`, getOwnPropertyDescriptor(value, 'prototype')?.value])
}

/** The modules of Node that a program names to load them. */
function modulesIn(text) {
  const names = [...text.matchAll(/(?:\brequire\(|\bfrom|\bimport\()\s*['"](?:node:)?([\w/]+)['"]/g)].map(([, name]) => name)
  return [...new Set(names)].filter(isBuiltin).map((name) => [name, require(`node:${name}`)])
}

/** Whether timers and the like keep the process alive; its own pipe to stderr does not. */
function isAlive() {
  const resources = apply(getActiveResourcesInfo, process, [])
  for (let at = 0; at < resources.length; at++) if (resources[at] !== 'PipeWrap' && resources[at] !== 'TTYWrap') return true
  return false
}

/** Whether a global is as it was before the code ran; a variable of `let` may hide it. */
function isSameGlobal(key, before) {
  const [was, now] = [before.get(key), getOwnPropertyDescriptor(globalThis, key)]
  return was !== undefined && now !== undefined && is(was.value, now.value) && was.get === now.get
}

/** Ends the process when the judge is done. Timers of the code need not end. */
function guarded(work) {
  return () => {
    try {
      work()
    } catch (error) {
      if (!(error instanceof Ended)) writeSync(2, `${error?.stack}\n`)
      apply(reallyExit, process, [error instanceof Ended ? 0 : 1])
    }
  }
}

function serve(code, stdin, given) {
  const channel = new Channel(takeStreams(stdin, given.__dirname), 1 << 26)
  unlinkSync(given.__filename)
  defineModule(given)
  const server = new Server(channel, code, given)
  guarded(() => server.serve())()
}
