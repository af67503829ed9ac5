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

/** Where the members of built-in types are. */
const OWNERS_BY_NAME = [...BUILT_IN_OWNERS]
const INTL = Intl
/** Globals that programs replace. Only those that the code names are looked at, because Node loads some of them then. */
const REPLACED_GLOBALS = 'setTimeout setInterval setImmediate clearTimeout clearInterval clearImmediate queueMicrotask structuredClone fetch URL URLSearchParams Date Math JSON Promise Error Object Array Map Set'.split(' ')
const STREAM_METHODS = ['write']
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u

class Server {
  #bindings = { __proto__: null }
  /** Promises of the script that rejected, and that nothing of the code handles. */
  #unhandled = []
  #exports
  /** The state of this process after the code ran. */
  #atFirst = { names: [], values: [] }
  /** The modules and globals that the code names. */
  #named
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
        state: () => this.#changedName ?? this.#changedState(),
        stale: () => this.#isStale || this.peer.forgotten.hasChanged(this.peer.hooks.skipped),
        handled: (promise) => this.peer.handled.has(promise),
        name: (name) => (name === 'module.exports' ? this.#exports() : this.#bindings[name].get()),
        assign: (name, value) => this.#bindings[name].set(value),
        get: (thing, key) => Reflect.get(thing, key),
        set: (thing, key, value) => Reflect.set(thing, key, value),
        has: (thing, key) => Reflect.has(thing, key),
        delete: (thing, key) => Reflect.deleteProperty(thing, key),
      },
      {
        skipped: new Set(),
        printed: takenOutput,
        isOpaque: (thing) => this.opaque.has(thing),
        onSettled: () => this.wake?.(),
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
    this.#changedName ??= this.#changedState()
    this.#isStale ||= this.peer.forgotten.hasChangedYet(this.peer.hooks.skipped)
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
    const members = membersOfBuiltIns()
    this.#named = { modules: modulesIn(text), globals: REPLACED_GLOBALS.filter((name) => words.has(name)) }
    // The code finds itself where a program without a judge does.
    writeFileSync(file, this.code)
    compile(text, file).runInThisContext({ displayErrors: false })
    this.#exports = () => module.exports
    const found = this.#lookUp(text, words, before)
    for (const [name, binding] of [...Object.entries(found), ...this.#exported(module)]) this.#bindings[name] ??= binding
    this.#atFirst = stateOfProcess(this.#named)
    const computed = [...computedIn(globalThis, before), ...computedIn(module.exports, new Map())]
    return [...Object.keys(this.#bindings), ...computed, ...this.#changed(members), ...(DIRECTIVE.test(text) ? [STRICT] : [])]
  }

  /** The members that the code has added to built-in types, as names; and those that it has replaced, as `name=`. */
  #changed(members) {
    const before = byName(members)
    const { names, values } = membersOfBuiltIns()
    const changed = []
    for (let at = 0; at < names.length; at++) {
      const name = names[at]
      const value = values[at]
      if (name in before && is(before[name], value)) continue
      changed[changed.length] = name in before ? `${name}=` : name
      if (!(name in before)) this.#bindings[name] ??= { get: () => value }
    }
    return changed
  }

  /** What calls have changed in this process since the code ran; undefined if it is as it was. */
  #changedState() {
    const before = this.#atFirst
    const now = stateOfProcess(this.#named)
    const length = before.names.length > now.names.length ? before.names.length : now.names.length
    for (let at = 0; at < length; at++) {
      if (before.names[at] !== now.names[at]) return now.names[at] ?? before.names[at]
      if (!is(before.values[at], now.values[at])) return now.names[at]
    }
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

/** What a program can change in its process, as names and their values. Executes nothing of the program, and uses nothing that it could change. */
function stateOfProcess({ modules, globals }) {
  const state = membersOfBuiltIns()
  addMembers(state, 'console', console)
  addMembers(state, 'globalThis', globalThis, globals)
  addMembers(state, 'Intl', INTL)
  addMembers(state, 'process.stdout', process.stdout, STREAM_METHODS)
  for (let at = 0; at < modules.length; at++) {
    const { name, module } = modules[at]
    addMembers(state, name, module)
    if (typeof module === 'function') addMembers(state, `${name}.prototype`, module.prototype)
  }
  add(state, 'the folder', apply(cwd, process, []))
  add(state, 'process.exitCode', process.exitCode)
  return state
}

/** The members of built-in types, as `Type.prototype.name` and `Type.name`, and their values. Executes nothing. */
function membersOfBuiltIns() {
  const state = { names: [], values: [] }
  for (let at = 0; at < OWNERS_BY_NAME.length; at++) addMembers(state, OWNERS_BY_NAME[at][0], OWNERS_BY_NAME[at][1])
  return state
}

/** Adds the properties of an object that have a value: all, or those of some names. */
function addMembers(state, type, owner, only = ownKeys(owner)) {
  for (let at = 0; at < only.length; at++) {
    const field = typeof only[at] === 'string' ? getOwnPropertyDescriptor(owner, only[at]) : undefined
    if (field !== undefined) add(state, `${type}.${only[at]}`, hasOwn(field, 'value') ? field.value : field.get)
  }
}

function add({ names, values }, name, value) {
  names[names.length] = name
  values[values.length] = value
}

function byName({ names, values }) {
  const found = { __proto__: null }
  for (let at = 0; at < names.length; at++) found[names[at]] = values[at]
  return found
}

/** The modules of Node that a program names to load them. */
function modulesIn(text) {
  const names = [...text.matchAll(/(?:\brequire\(|\bfrom|\bimport\()\s*['"](?:node:)?([\w/]+)['"]/g)].map(([, name]) => name)
  return [...new Set(names)].filter(isBuiltin).map((name) => ({ name, module: require(`node:${name}`) }))
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
