import { describe, expect, it } from 'vitest'
import { workspaceProblems } from '../../src/program/workspace.ts'
import { limits, script } from '../support/execution.ts'

describe('files of an execution', () => {
  it('may not take the name of the program', () => {
    expect(
      workspaceProblems(script('true', { files: { 'main.sh': { content: 'x', encoding: 'utf8' } } })),
    ).toEqual(['files.main.sh: this name is taken by the program or its input (main.sh)'])
  })

  it('may not need a folder with the name of the program', () => {
    expect(
      workspaceProblems(script('true', { files: { 'main.sh/a': { content: 'x', encoding: 'utf8' } } })),
    ).toHaveLength(1)
  })

  it('may be called input.json only if there is no input', () => {
    const files = { 'input.json': { content: '{}', encoding: 'utf8' as const } }
    expect(workspaceProblems(script('true', { files }))).toEqual([])
    expect(workspaceProblems(script('true', { files, inputData: null }))).toHaveLength(1)
  })

  it('may not be a file and a folder at once', () => {
    const file = { content: 'x', encoding: 'utf8' as const }
    expect(workspaceProblems(script('true', { files: { a: file, 'a/b/c': file, 'ab/c': file } }))).toEqual([
      'files.a/b/c: a part of its path is another file of this job',
    ])
  })

  it('count together with the input and their folders', () => {
    const inputData = 'x'.repeat(800_000)
    expect(workspaceProblems(script('true', { inputData, limits: limits({ diskMb: 1 }) }))[0]).toMatch(
      /^limits\.diskMb: code/,
    )
    const deep = (index: number) => `${Array.from({ length: 60 }, () => index).join('/')}/f`
    const files = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [deep(index), { content: '', encoding: 'utf8' as const }]),
    )
    expect(workspaceProblems(script('true', { files, limits: limits({ diskMb: 1 }) }))).toEqual([
      'limits.diskMb: files and folders are 1221, the workspace has room for 1023',
    ])
  })

  it('must fit in the workspace', () => {
    const files = { big: { content: 'x'.repeat(800_000), encoding: 'utf8' as const } }
    expect(workspaceProblems(script('true', { files, limits: limits({ diskMb: 1 }) }))).toEqual([
      'limits.diskMb: code, files and input take 806912 bytes, the workspace has 786432',
    ])
  })
})
