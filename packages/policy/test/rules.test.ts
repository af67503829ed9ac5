import { describe, expect, it } from 'vitest'
import { type Fact, RULES, type Rule } from '../src/index.ts'
import { check, tripped } from './support/check.ts'

interface Example {
  readonly trips: string
  /** Similar source that must not trip the rule. */
  readonly misses: string
}

/** Examples by language and kind of fact. */
const SHAPES: Readonly<Record<string, (applied: string) => Example>> = {
  'python write-mode': (name) => ({
    trips: `${imported(name)}("f", mode="w")`,
    misses: `${imported(name)}("w", mode="r"); own("f", "w")`,
  }),
  'python computed-mode': (name) => ({
    trips: `${imported(name)}("f", m)`,
    misses: `${imported(name)}(m, "rb"); own("f", m)`,
  }),
  'python computed-name': (name) => ({
    trips: `${imported(name)}(f(x))`,
    misses: `${imported(name)}("json"); own(x)`,
  }),
  'python computed-member': (name) => ({
    trips: `import ${name} as m\ngetattr(m, name)`,
    misses: 'def f(self): return getattr(self.x, name)',
  }),
  'python source-encoding': () => ({ trips: '# coding: utf-7\nx = 1', misses: '# coding: utf-8\nx = 1' }),
  'javascript call': (name) => ({
    trips: `new ${name}("return 1")`,
    misses: `x instanceof ${name}; ${name}.prototype.name`,
  }),
  'javascript write-mode': (name) => ({
    trips: `const fs = require("fs"); ${name}("f", "w")`,
    misses: 'const fs = require("fs"); fs.openSync("w", "r"); x.openSync("f", "w")',
  }),
  'javascript computed-member': (name) => ({ trips: `${name}[name]`, misses: `own[name]; ${name}["x"]` }),
  'javascript computed-import': () => ({ trips: 'require(name)', misses: 'x.require(name)' }),
  'javascript with-statement': () => ({
    trips: 'with (process) { x }',
    misses: 'own.with(1); f({ with: 1 })',
  }),
  'bash unchecked-file': () => ({
    trips: 'source a/data.txt',
    misses: 'cat data.txt; bash run.sh data.txt; source run.sh < data.txt',
  }),
  'bash rm-rf': () => ({ trips: 'rm -r --force x', misses: 'rm -r x; rm -f y; echo rm -rf z' }),
  'bash fork-bomb': () => ({ trips: ':(){ :|:& };:', misses: 'f() { g | g & }; f' }),
  'bash dev-tcp': () => ({
    trips: 'exec 3>/dev/tcp/h/80',
    misses: '# > /dev/tcp/h/80\necho x > dev/tcp',
  }),
  'bash write-device': () => ({
    trips: 'dd if=a of=/dev/sda',
    misses: 'dd if=/dev/sda of=/dev/null; echo x > /dev/stderr',
  }),
  'bash pipe-to-shell': () => ({ trips: 'cat x | bash', misses: 'cat x | bash script.sh; echo "| sh"' }),
  'bash computed-command': () => ({ trips: '"$1" x', misses: 'ls "$1"' }),
}

/** A Python expression for a function or module, imported if it has to be. */
function imported(path: string): string {
  const [module, member] = [path.split('.').slice(0, -1).join('.'), path.split('.').at(-1)]
  return module === '' || module === 'builtins' ? `${member}` : `import ${module} as m\nm.${member}`
}

/** A program that contains a fact, and one that only resembles it. */
function exampleOf({ language }: Rule, { kind, name }: Fact): Example | undefined {
  const [module, member] = [
    name.slice(0, Math.max(0, name.lastIndexOf('.'))),
    name.slice(name.lastIndexOf('.') + 1),
  ]
  switch (`${language} ${kind}`) {
    case 'python import':
      return { trips: `import ${name} as x`, misses: `import x${name}\n"import ${name}" # import ${name}` }
    case 'python use':
      return module === 'builtins'
        ? {
            trips: `x = ${member}`,
            misses: `own.${member}(1)\n"${member}(1)" # ${member}(1)\nf(${member}=1)`,
          }
        : { trips: `import ${module} as m\nm.${member}`, misses: `own.${member}()\n"${name}()" # ${name}()` }
    case 'python attribute':
      return { trips: `x.${name}`, misses: `"x.${name}" # x.${name}\nx.own${name}` }
    case 'javascript import':
      if (name === 'data:')
        return {
          trips: 'import("data:text/javascript,1")',
          misses: 'import "./data.js"; "data:text/javascript,1"',
        }
      if (name === 'unchecked file')
        return {
          trips: 'require("./a/data.txt")',
          misses: 'import "./data.js"; x.require("./data.txt"); "data.txt"',
        }
      return {
        trips: `require('node:${name}')`,
        misses: `x.require('${name}'); '${name}' // require('${name}')`,
      }
    case 'javascript use':
      return {
        trips: `const x = ${module === 'fs' || module === 'module' ? `require('${module}')` : module}${module ? '.' : ''}${member}`,
        misses: `own.${member}(); '${name}()' // ${name}\nfunction f(${name.split('.')[0]}) { return ${name} }`,
      }
    case 'javascript attribute':
      return {
        trips: `x.${name}`,
        misses: `'x.${name}' // x.${name}\nclass A { ${name}() {} }; x.own${name}`,
      }
    case 'bash command':
      return {
        trips: `/usr/bin/${name} x`,
        misses: `echo ${name} # ${name} x\n"x${name}" x; cat <<END\n${name} x\nEND`,
      }
    default:
      return SHAPES[`${language} ${name.split(' ')[0]}`]?.(name.split(' ')[1] ?? '')
  }
}

const CASES = RULES.flatMap((rule) =>
  rule.facts.map((fact) => ({ rule, fact, name: `${fact.kind} ${fact.name}` })),
)
const EXTENSION = { python: 'py', javascript: 'js', bash: 'sh' }

describe('each rule', () => {
  it('has a unique id and a reason, and is at least as strict in strict as in standard', () => {
    expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length)
    for (const { id, language, reason, standard, strict } of RULES) {
      expect(id).toMatch(new RegExp(`^${language}/[A-Za-z0-9-]{1,48}$`))
      expect(reason).not.toBe('')
      if (standard === 'block') expect(strict).toBe('block')
    }
  })

  it.each(CASES)('$rule.id is tripped by $name', ({ rule, fact }) => {
    const example = exampleOf(rule, fact)
    expect(example, `no example for ${rule.id}`).toBeDefined()
    expect(tripped(EXTENSION[rule.language], example?.trips ?? '')).toContain(rule.id)
  })

  it.each(CASES)('$rule.id does not match what only resembles $name', ({ rule, fact }) => {
    const example = exampleOf(rule, fact)
    const { findings, gaps } = check(EXTENSION[rule.language], example?.misses ?? '')
    expect(gaps).toEqual([])
    expect(findings.map((finding) => finding.rule)).not.toContain(rule.id)
  })
})

describe('the rules of the procedure and plan documents', () => {
  const strict = (source: string) => check('py', source).findings.map(({ message }) => message)
  const standard = (extension: string, source: string) =>
    check(extension, source, 'standard').findings.filter(({ severity }) => severity === 'block')

  it.each([
    'os',
    'subprocess',
    'socket',
    'requests',
    'urllib',
    'http',
    'sys',
    'ctypes',
    'multiprocessing',
    'threading',
    'signal',
  ])('the plan’s blocked import %s is blocked by strict, in the plan’s words', (module) => {
    expect(strict(`import ${module}`)).toContain(`Blocked import: ${module}`)
  })

  it.each([
    'eval',
    'exec',
    'compile',
    'open',
    '__import__',
    'getattr',
    'setattr',
    'delattr',
    'globals',
    'locals',
  ])('the plan’s blocked function %s is blocked by strict', (name) => {
    expect(strict(`${name}(x)`)).toContain(`Blocked function: ${name}`)
  })

  it.each(['__class__', '__globals__', '__subclasses__', '__mro__', '__code__', '__dict__'])(
    'the plan’s blocked pattern %s is blocked by strict',
    (name) => {
      expect(strict(`x.${name}`)).toContain(`Blocked attribute: ${name}`)
    },
  )

  it.each([
    ['py', 'import os\nos.system("ls")'],
    ['py', 'import subprocess\nsubprocess.run(["ls"])'],
    ['py', 'import subprocess\nsubprocess.call(["ls"])'],
    ['py', 'import subprocess\nsubprocess.Popen(["ls"])'],
    ['py', 'eval("1")'],
    ['py', 'exec("1")'],
    ['py', '__import__("json")'],
    ['py', "open('f', 'w')"],
    ['py', "open('f', 'a')"],
    ['sh', 'rm -rf /'],
    ['sh', ':(){ :|:& };:'],
  ])('the procedure’s pattern is blocked by standard: %s %s', (extension, source) => {
    expect(standard(extension, source)).toHaveLength(1)
  })

  it('imports that the plan allows pass strict', () => {
    const allowed = ['pandas', 'numpy', 'dateutil', 'json', 'math', 'datetime', 'collections', 'itertools']
    const more = [
      'functools',
      're',
      'decimal',
      'fractions',
      'statistics',
      'random',
      'string',
      'textwrap',
      'unicodedata',
    ]
    expect(strict([...allowed, ...more].map((module) => `import ${module}`).join('\n'))).toEqual([])
  })
})
