// The judge's process: runs a script, in which the names that the code defines stand for what is in the code's process.
const { promiseHooks } = require('node:v8')

const LARGEST_ANSWER = 1 << 22
const SHOWN_OUTPUT = 1 << 16
/** Longest wait for the code's timers and promises, in ms, while the script has nothing else to do. */
const IDLE_MS = 1000
/** Changes by which a script sees what the code prints, and changes that mean nothing for the code. */
const SHOWS = 'process.stdout.write'
const HARMLESS = ['console.log', 'console.assert', 'process.exitCode', 'Error.stackTraceLimit']
/** What a script may use of its process: nothing of the code's process would be different. */
const SHARED = new Set(
  'stdout stderr stdin exit exitCode on once off addListener removeListener emitWarning nextTick hrtime uptime version versions platform arch argv cwd release memoryUsage'.split(' '),
)
/** Objects whose members the code can change in its own process. */
const BUILT_IN = /^(?:global(?:This)?|(?:Array|Object|String|Number|Boolean|Function|Map|Set|Promise|Date|RegExp)\.prototype)$/
/** Keys in texts by which code that merges objects would change the prototype of all objects, in its own process. */
const POLLUTING = /__proto__\\?['"`]\]?\s*:|prototype\\?['"`]?\s*:|['"`](?:__proto__[.[]|constructor\.prototype)/
/** Functions of the console that a script silences, which only hides output. */
const SILENCED = /^console\.\w+$/
const SCRIPT_FILE = /script\.[jt]s/

function judge(script, report, stdin, given) {
  const channel = new Channel(takeStreams(stdin, given.__dirname), LARGEST_ANSWER)
  const file = given.__filename.replace(/main(?=\.[jt]s$)/, 'script')
  const { emit, reallyExit } = process
  const finish = (end, reason) => {
    if (asker?.intrinsics?.hasChanged) {
      // Written by hand: the report must not depend on what has changed.
      writeFileSync(report, `{"end":"unverified","message":"${CHANGES_LANGUAGE}","stdout":"","printed":0,"inCallback":false}`, { flag: 'wx', mode: 0o600 })
      apply(reallyExit, process, [0])
    }
    if (asker?.unclear !== undefined && isDecided(end)) [end, reason] = ['unverified', asker.unclear]
    if (asker?.unproven !== undefined && end === 'passed') [end, reason] = ['unverified', asker.unproven]
    if (asker?.doubt !== undefined && isDecided(end) && end !== 'passed') [end, reason] = ['unverified', asker.doubt]
    if (asker !== undefined) asker.hasEnded = true
    const content = stringify({ end, message: messageOf(end, reason), ...shownOutput(), inCallback: asker?.hasEscaped === true })
    writeFileSync(report, content, { flag: 'wx', mode: 0o600 })
    apply(reallyExit, process, [0])
  }
  const unsettled = new Set()
  const asker = new Judge(channel, finish)
  const raced = new WeakSet()
  let isRacing = false
  const loops = new Loops(asker)
  defineProperty(globalThis, HOOKS, { value: freeze({ ...new Sizes(asker).hooks, ...loops.hooks, thrown: (error, isLater) => asker.callbacks.noteThrown(error, isLater), reporting: (work) => asker.callbacks.reporting(work), row: (thing) => asker.noteRow(thing), self: (thing) => asker.callbacks.selfOf(thing), top: () => asker.exported() }) })
  asker.waits = () => [...unsettled].some((promise) => asker.handled.has(promise) && !raced.has(promise))
  unlinkSync(given.__filename)
  let text
  try {
    // As if code and script were one file: only the code can begin with a directive.
    text = translated(script, file).replace(/^#!/, '//')
    compile(text, file)
  } catch (error) {
    finish('broken', error)
  }
  watchComparisons(asker)
  const tree = syntaxOf(text)
  if (tree === undefined) asker.unverified('the script has syntax that the judge does not know')
  const nodes = nodesOf(tree)
  const uses = new Usages(nodes)
  asker.script = {
    hasRunner: uses.hasRunner,
    hasTimers: ['setTimeout', 'setInterval', 'setImmediate', 'node:timers', 'node:timers/promises'].some((name) => uses.has(name)),
    keepsResults: nodes.some(isKeeping),
    readProperties: uses.properties,
    comparedLiterals: literalsIn(nodes),
  }
  const foreign = changedIn(uses) ?? seenIn(uses)
  if (foreign !== undefined) asker.doubt = `the code does not share ${foreign} with the script`
  if (foreign !== undefined && foreign !== SHOWS) asker.unproven = asker.doubt
  const type = classOfNode(uses)
  if (type !== undefined) asker.doubt ??= `instances of ${type} in the code are of another class`
  if (POLLUTING.test(script)) asker.unproven = 'the code has prototypes of its own'
  const failed = (error) => {
    if (error instanceof Ended) finish('lost', '')
    asker.lookAtForgotten()
    if (util.types.isNativeError(error) && propertyOf(error, 'code') === 'ENOENT') asker.doubt ??= 'the script and the code do not share files'
    finish(error instanceof assert.AssertionError ? 'assertion' : 'error', error)
  }
  process.on('uncaughtException', failed)
  process.on('beforeExit', () => asker.turns.take(IDLE_MS))
  const exited = (code) => {
    if (!code) asker.lookAtState()
    asker.lookAtForgotten()
    loops.checkAll()
    if (code) finish('assertion', `the script ended with ${code}`)
    else if (asker.turns.openEnd !== undefined) finish('unverified', asker.turns.openEnd)
    else finish('passed', '')
  }
  // After all listeners: those of a test runner set the exit code.
  process.emit = function (name, ...args) {
    const result = apply(emit, this, [name, ...args])
    if (name === 'exit') exited(process.exitCode ?? args[0])
    return result
  }
  // Reached only if one of them ends the process.
  process.reallyExit = exited
  asker.failed = failed
  process.on('unhandledRejection', (reason, promise) => {
    if (!asker.mirrors.has(promise) || asker.ask('handled', promise) !== true) failed(reason)
    else asker.unproven = 'only the code could tell that it handles what a promise rejects with'
  })
  promiseHooks.createHook({
    init: (promise, parent) => {
      unsettled.add(promise)
      if (parent !== undefined && isRacing) raced.add(parent)
      else if (parent !== undefined) raced.delete(parent)
      asker.noteHandled(parent)
    },
    // Where a script waits, what it has called goes on.
    before: () => asker.turns.catchUp(),
    settled: (promise) => unsettled.delete(promise),
  })
  // What loses a race need not settle. If its result is waited for, that counts.
  for (const name of ['race', 'any', 'all']) {
    const combine = Promise[name]
    Promise[name] = {
      [name](...args) {
        isRacing = true
        try {
          return apply(combine, this, args)
        } finally {
          isRacing = false
        }
      },
    }[name]
  }
  asker.turns.watch()
  try {
    if (uses.evaluates) asker.unverified('the script could run text of the code in the process of the judge')
    const names = asker.ask('run')
    if (names.some((name) => typeof name !== 'string')) finish('lost', '')
    const isStrict = names.includes(STRICT)
    defineNames(names, uses, asker, given, (all) => declaredBy(text, isStrict, all))
    const directive = isStrict ? `'${STRICT}';` : DIRECTIVE.test(script) ? ';' : ''
    const watched = directive + instrument(text, tree, isStrict)
    let program
    try {
      program = compile(watched, file)
    } catch {
      asker.unverified('the script has syntax that the judge cannot watch')
    }
    const refuse = () => asker.unverified('the script could run text of the code in the process of the judge')
    guardEvaluation(uses.texts, refuse)
    if (!uses.isUsed('eval')) replace('eval', refuse)
    const changed = new Set(uses.changes.map(([path]) => path))
    asker.intrinsics = new Intrinsics(watched, (name) => changed.has(name) || uses.isDeclared(name))
    program.runInThisContext({ displayErrors: false })
  } catch (error) {
    failed(error)
  }
}

/** What a script replaces or deletes of Node's own, which the code does not see. */
function changedIn(uses) {
  const isShared = (path) => path !== undefined && (uses.isOfLibrary(path) || (isOfNode(path) && !uses.isDeclared(path.split('.')[0])))
  const mocks = uses.nodes.filter((node) => methodOf(node) === 'method' && pathOf(node.callee)?.endsWith('mock.method'))
  const mocked = mocks.map((node) => uses.resolved(pathOf(node.arguments[0]))).find(isShared) ?? (uses.looks.read.some((path) => /(?:^|\.)mock\.timers\b/.test(path)) ? 'timers' : undefined)
  const isHidden = ([path, value]) => SILENCED.test(path) && ((isFunctionNode(value) && value.body.body?.length === 0) || uses.isKept(path, value))
  const isMeant = ([path]) => isShared(path) && !HARMLESS.includes(path)
  const changes = uses.changes.map(([path, value]) => [uses.resolved(path), value])
  const changed = changes.filter((change) => isMeant(change) && !isHidden(change)).map(([path]) => path)
  return mocked ?? changed.find((path) => path !== SHOWS) ?? changed[0]
}

/** What a script sees of its own process. */
function seenIn(uses) {
  const { read, listed } = uses.looks
  const isOfProcess = (path) => path.startsWith('process.') && !SHARED.has(path.split('.')[1])
  return listed.find((path) => BUILT_IN.test(path)) ?? read.find(isOfProcess)?.split('.').slice(0, 2).join('.')
}

/** A class of Node's of which a script looks for instances, and that is another one in the code's process. */
function classOfNode(uses) {
  const names = uses.nodes.filter(({ operator }) => operator === 'instanceof').map(({ right }) => pathOf(right))
  return names.find((name) => name !== undefined && ((TRUSTED.has(name) && !KNOWN.has(name)) || (uses.isLoaded(name) && !(name in assert))))
}

/** Whether a path such as `Math.random` leads to something that Node defines. */
function isOfNode(path) {
  const keys = path.split('.')
  if (!TRUSTED.has(keys[0])) return false
  let at = globalThis
  for (const key of keys) {
    if ((typeof at !== 'object' && typeof at !== 'function') || at === null || !(key in at)) return at === process.env
    at = at[key]
  }
  return true
}

/** Whether an end says something about the code. */
function isDecided(end) {
  return end === 'passed' || end === 'assertion' || end === 'error'
}

/** Adds where the script is to the stack of an error of the code. */
function showCaller(error) {
  const lines = callersOf(showCaller).split('\n').filter((line) => SCRIPT_FILE.test(line))
  const { value: stack } = getOwnPropertyDescriptor(error, 'stack') ?? {}
  if (typeof stack === 'string' && !SCRIPT_FILE.test(stack)) defineProperty(error, 'stack', { value: [stack, ...lines].join('\n') })
}

function messageOf(end, reason) {
  if (typeof reason === 'string') return reason.slice(-300)
  let text
  try {
    text = util.types.isNativeError(reason) ? String(reason.stack) : util.inspect(reason)
  } catch {
    text = 'an error that cannot be shown'
  }
  const lines = text.split('\n').filter((line) => !/^\s+at (?:.*(?:\bisopod:|node:)|Object\.<anonymous> \(\/workspace\/main)/.test(line))
  if (end !== 'broken') writeSync(2, `${lines.join('\n')}\n`)
  const last = lines.findIndex((line) => /^\s+at /.test(line))
  return (last > 0 ? lines.slice(0, last) : lines).join('\n').trim().slice(0, 300)
}

function shownOutput() {
  const { size } = fstatSync(1)
  const text = takenOutput()
  return { stdout: text.slice(0, SHOWN_OUTPUT), printed: size }
}
