import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { composeScript } from '../../src/index.ts'

const parts = { code: 'the code', script: 'the script', report: '/workspace/r', tag: 'xt' }

describe('composeScript', () => {
  it('fills in code, script, report and tag, and keeps other braces', () => {
    const rules = { program: '{code}\n{script}\nmake("{report}", {tag}) {other} {}', edits: [] }
    expect(composeScript(rules, parts).program).toBe(
      'the code\nthe script\nmake("/workspace/r", xt) {other} {}',
    )
  })

  it('fills in no placeholders that code or script contain', () => {
    const rules = { program: '<{code}|{script}|{report}>', edits: [] }
    const texts = fc.string({
      unit: fc.constantFrom('{code}', '{script}', '{report}', '{tag}', '$1', '$&', 'x', '\n'),
    })
    fc.assert(
      fc.property(texts, texts, (code, script) => {
        expect(composeScript(rules, { ...parts, code, script }).program).toBe(
          `<${code}|${script}|/workspace/r>`,
        )
      }),
    )
  })

  it('writes code and script as literals of the same text, except for lone surrogates', () => {
    const rules = { program: '[{code_json},{script_json}]', edits: [] }
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (code, script) => {
        const { program = '' } = composeScript(rules, { ...parts, code, script })
        expect(JSON.parse(program)).toEqual([code, script])
      }),
    )
    expect(composeScript(rules, { ...parts, code: 'a\ud800' }).program).toBe('["a\ufffd","the script"]')
  })

  it('edits only the last match in the script', () => {
    const edits = [{ find: '(\\w+) \\{$', replace: '$1 { {tag} $0 $2 {report};' }]
    const script = 'one {\n}\nmain {\n}'
    const composed = composeScript({ program: '{code}\n{script}', edits }, { ...parts, script })
    expect(composed.program).toBe('the code\none {\n}\nmain { xt main {  /workspace/r;\n}')
  })

  it('edits the code if the pattern matches, and leaves it unchanged otherwise', () => {
    const edits = [{ in: 'code' as const, find: '\\A(package \\w+)', replace: '$1; import {tag} "os"' }]
    const compose = (code: string) =>
      composeScript({ program: '{code_json}|{code}|{script}', edits }, { ...parts, code }).program
    const imported = 'package a; import xt "os"\n'
    expect(compose('package a\n')).toBe(`${JSON.stringify(imported)}|${imported}|the script`)
    expect(compose('x\npackage a')).toBe('"x\\npackage a"|x\npackage a|the script')
  })

  it('reports a problem if a pattern of the script does not match', () => {
    const edits = [{ find: 'main', replace: '' }]
    expect(composeScript({ program: '{code}{script}', edits }, parts)).toEqual({
      problem: 'must contain a match of main, where the report of its end is inserted',
    })
  })

  it('matches any pattern in linear time: a slower match exceeds the timeout of this test', () => {
    const edits = [{ find: '(a+)+$', replace: '' }]
    const script = `${'a'.repeat(50_000)}b`
    expect(composeScript({ program: '{code}{script}', edits }, { ...parts, script })).toHaveProperty(
      'problem',
    )
  })
})
