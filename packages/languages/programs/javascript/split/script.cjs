// The judge's process: runs a script, in which the names that the code defines stand for what is in the code's process.
const { promiseHooks } = require('node:v8')

const LARGEST_ANSWER = 1 << 22
const SHOWN_OUTPUT = 1 << 16
/** Longest wait for the code's timers and promises, in ms, while the script has nothing else to do. */
const IDLE_MS = 1000
/** Functions that a script replaces in its own process, where the code does not use them. */
const REPLACED =
  /\b(console\.(?:warn|error|info|debug|table)|process\.std(?:out|err)\.write|global(?:This)?\.(?:fetch|Date|set(?:Timeout|Interval|Immediate)))\s*=(?!=)|\bmock\.(?:method\(\s*(console|process|globalThis|Date|Math)\b|(timers)\b)/
const SCRIPT_FILE = /script\.[jt]s/

function judge(script, report, stdin, given) {
  const channel = new Channel(takeStreams(stdin, given.__dirname), LARGEST_ANSWER)
  const file = given.__filename.replace(/main(?=\.[jt]s$)/, 'script')
  const { emit, reallyExit } = process
  const finish = (end, reason) => {
    if (asker?.unclear !== undefined && isDecided(end)) [end, reason] = ['unverified', asker.unclear]
    if (asker?.unproven !== undefined && end === 'passed') [end, reason] = ['unverified', asker.unproven]
    if (asker?.doubt !== undefined && isDecided(end) && end !== 'passed') [end, reason] = ['unverified', asker.doubt]
    const content = stringify({ end, message: messageOf(end, reason), ...shownOutput() })
    writeFileSync(report, content, { flag: 'wx', mode: 0o600 })
    apply(reallyExit, process, [0])
  }
  let unsettled = 0
  const asker = new Judge(channel, finish)
  asker.waits = () => unsettled > 0
  unlinkSync(given.__filename)
  let program
  try {
    program = compile(translated(script, file), file)
  } catch (error) {
    finish('broken', error)
  }
  asker.watchComparisons()
  const replaced = REPLACED.exec(script)?.slice(1).find(Boolean)
  if (replaced !== undefined) asker.doubt = `the script replaces ${replaced}, which the code does not see`
  const failed = (error) => finish(error instanceof assert.AssertionError ? 'assertion' : 'error', error)
  process.on('uncaughtException', failed)
  process.on('beforeExit', () => asker.takeTurn(IDLE_MS))
  // After all listeners: those of a test runner set the exit code.
  process.emit = function (name, ...args) {
    const result = apply(emit, this, [name, ...args])
    if (name === 'exit') {
      const code = process.exitCode ?? args[0]
      if (code) finish('assertion', `the script ended with ${code}`)
      else if (asker.openEnd !== undefined) finish('unverified', asker.openEnd)
      else finish('passed', '')
    }
    return result
  }
  asker.failed = failed
  process.on('unhandledRejection', (reason, promise) => {
    if (!asker.mirrors.has(promise) || asker.ask('handled', promise) !== true) failed(reason)
    else asker.unproven = 'only the code could tell that it handles what a promise rejects with'
  })
  promiseHooks.createHook({
    init: (_, parent) => {
      unsettled++
      asker.noteHandled(parent)
    },
    // Where a script waits, what it has called goes on.
    before: () => asker.catchUp(),
    settled: () => unsettled--,
  })
  asker.watchTurns()
  try {
    const names = asker.ask('run')
    if (!Array.isArray(names) || names.some((name) => typeof name !== 'string')) finish('lost', '')
    defineNames(names, script, asker, given)
    // As if both were one file: only the code can begin with a directive.
    const isStrict = names.includes(STRICT)
    if (isStrict || DIRECTIVE.test(script)) program = compile(`${isStrict ? `'${STRICT}'` : ''};${translated(script, file)}`, file)
    program.runInThisContext({ displayErrors: false })
  } catch (error) {
    failed(error)
  }
}

/** Defines the names that the code defines, as far as the script means the code's. */
function defineNames(names, script, asker, given) {
  const added = names.find((name) => /^\w+\.prototype\./.test(name) && isProperty(name.replace(/^.*\./s, ''), script))
  if (added !== undefined) asker.doubt = `only the code has ${added}`
  const words = new Set(script.match(/(?<![\p{ID_Continue}$])[\p{ID_Start}$_][\p{ID_Continue}$]*/gu))
  const isOwn = (name) => TRUSTED.has(name) || hasOwn(given, name) || hasOwn(assert, name)
  const used = names.filter((name) => words.has(name))
  const shadows = used.filter(isOwn)
  // Functions under test may have names of built-in ones. If the script has no other way to the code, it means those.
  const isMeant = shadows.length === used.length && !/\bexports\b|\/main\b/.test(script)
  // With one of them, the script could judge another one.
  const meant = shadows.filter((name) => isMeant && !hasOwn(given, name))
  if (meant.length > 1) asker.unproven = bothDefine(meant.join(' and '))
  for (const name of used) {
    if (name === 'assert' || (MODULES.includes(name) && isModule(name, script))) {
      define(name, () => require(`node:${name}`))
      if (name !== 'assert' && !isDotted(name, script)) asker.unclear = bothDefine(name)
    } else if ((name === 'process' && isCalled(name, script)) || !shadows.includes(name) || meant.includes(name) || isAnswer(name, script)) defineRemote(name, asker)
    else if (hasOwn(assert, name) && !TRUSTED.has(name)) define(name, () => assert[name])
    else if (isUsed(name, script) && !hasOwn(given, name) && !KEPT.includes(name)) asker.unclear = bothDefine(name)
  }
  const { require: load } = given
  const exported = () => asker.ask('name', 'module.exports')
  const module = { ...given.module, get exports() { return exported() } }
  const own = Object.assign((id) => (/^(?:\.|\/workspace)\/main(?:\.[jt]s)?$/.test(id) ? exported() : load(id)), load)
  defineModule({ ...given, __filename: given.__filename.replace('main', 'script'), module, require: own })
  defineProperty(globalThis, 'exports', { get: exported, set: (value) => define('exports', () => value), configurable: true })
}

/** Names that code may define, and that no script means as the code's. */
const KEPT = ['console', 'process']

const bothDefine = (name) => `both the code and Node define ${name}`

/** Whether an end says something about the code. */
function isDecided(end) {
  return end === 'passed' || end === 'assertion' || end === 'error'
}

/** Whether a script uses a name, other than as a property. */
function isUsed(name, script) {
  return RegExp(`(?<![\\w$.])${name}\\b(?!\\s*:)`).test(script)
}

function isProperty(name, script) {
  return RegExp(`\\.${name.replaceAll(/[^\w]/g, '\\$&')}\\b`).test(script)
}

function isCalled(name, script) {
  return RegExp(`(?<![\\w$.])${name}\\s*\\(`).test(script)
}

/** Whether all that a script uses of a name are properties. */
function isDotted(name, script) {
  return !RegExp(`(?<![\\w$.])${name}\\b(?!\\s*\\.)`).test(script)
}

/** Whether a name stands for a module of Node in a script: it takes what that module has. */
function isModule(name, script) {
  const taken = [...script.matchAll(RegExp(`(?<![\\w$.])${name}\\s*\\.\\s*(\\w+)`, 'g'))].map(([, key]) => key)
  const module = require(`node:${name}`)
  if (taken.some((key) => !(key in module))) return false
  if (isDotted(name, script) || taken.some((key) => hasOwn(module, key))) return true
  return RegExp(`\\}\\s*=\\s*${name}\\b|(?<![\\w$.])${name}\\s*\\[`).test(script)
}

/** Whether a function has the name of an assertion, but the script uses what it returns: no assertion returns anything. */
function isAnswer(name, script) {
  if (!hasOwn(assert, name) || TRUSTED.has(name)) return false
  const before = [...script.matchAll(RegExp(`(\\S?)\\s*(?<![\\w$.])${name}\\s*\\(`, 'g'))].map(([, sign]) => sign)
  return before.some((sign) => /[(,!=&|?:[]/.test(sign)) && !before.some((sign) => sign === '' || /[;{})\w]/.test(sign))
}

function define(name, get) {
  defineProperty(globalThis, name, { get, set: (value) => replace(name, value), configurable: true, enumerable: true })
}

function replace(name, value) {
  defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true })
}

function defineRemote(name, asker) {
  const get = () => {
    const value = asker.ask('name', name)
    if (typeof value === 'function' || (typeof value === 'object' && value !== null)) asker.named.add(value)
    // Asked once: the code hardly ever changes its functions.
    if (typeof value === 'function') define(name, () => value)
    return value
  }
  const set = (value) => asker.ask('assign', name, value)
  defineProperty(globalThis, name, { get, set, configurable: true, enumerable: true })
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
