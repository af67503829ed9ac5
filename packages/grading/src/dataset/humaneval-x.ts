import { goHeader, goImports, goScript } from './humaneval-x-go.ts'
import type { DatasetProblem } from './problem.ts'
import { HUMANEVAL_X } from './recognize.ts'
import type { Fields } from './record.ts'

/** How the parts of a problem form a program: each function gives the text that its name says. */
interface Assembly {
  readonly language: string
  /** Precedes every solution. @default none */
  readonly header?: (record: Fields) => string
  /** @default the record's */
  readonly prompt?: (record: Fields) => string
  /** @default the record's `test` */
  readonly script?: (test: string) => string
}

const PYTHON_IMPORTS = `import math, re, sys, copy, datetime, itertools, collections, heapq, statistics, functools, hashlib, string
from typing import *
from collections import *

`
const CPP_INCLUDES = 'stdlib.h algorithm math.h stdio.h vector string climits cstring iostream'
  .split(' ')
  .map((name) => `#include<${name}>\n`)
  .join('')

const ASSEMBLIES: Readonly<Record<string, Assembly>> = {
  Python: { language: 'python', header: () => PYTHON_IMPORTS },
  CPP: { language: 'cpp', header: () => CPP_INCLUDES },
  Java: { language: 'java' },
  // console.assert only prints, and the original grader reads what it prints.
  JavaScript: {
    language: 'javascript',
    script: (test) => `console.assert = require('node:assert').ok\n${test}`,
  },
  Go: { language: 'go-test', header: goHeader, prompt: goImports, script: goScript },
  Rust: {
    language: 'rust',
    prompt: (record) => record.text('prompt').replace(/^fn\s+main\s*\(\s*\)\s*\{\s*\}/m, ''),
    script: rustScript,
  },
}

/**
 * A problem of HumanEval-X in one of its languages, which its name says.
 *
 * @see https://github.com/THUDM/CodeGeeX, codegeex/benchmark/humaneval-x
 */
export function readHumanEvalX(record: Fields): DatasetProblem {
  const id = record.name(['task_id'])
  const assembly = ASSEMBLIES[HUMANEVAL_X.exec(id)?.[1] ?? '']
  if (assembly === undefined) {
    throw record.fieldError('task_id', `must be ${Object.keys(ASSEMBLIES).join(', ')} and a number`, id)
  }
  const { language, header, script } = assembly
  const prompt = assembly.prompt?.(record) ?? record.text('prompt')
  const solution = record.textOr('canonical_solution', undefined)
  const test = record.text('test')
  return {
    id,
    language,
    header: header?.(record) ?? '',
    prompt,
    reference: solution === undefined ? undefined : `${prompt}${solution}`,
    tests: [{ script: script?.(test) ?? test }],
    limits: {},
  }
}

/** Cargo's tests as functions that main calls. */
function rustScript(test: string): string {
  const names: string[] = []
  const text = test
    .replaceAll(/#\[cfg\(test\)\]\s*/g, '')
    .replaceAll(/#\[test\]\s*(?:pub\s+)?fn\s+(\w+)/g, (_, name: string) => {
      names.push(name)
      return `pub fn ${name}`
    })
  const inner = /\bmod\s+(\w+)/.exec(text)?.[1]
  const calls = names.map((name) => `    ${inner === undefined ? '' : `${inner}::`}${name}();\n`)
  return `${text}\nfn main() {\n${calls.join('')}}\n`
}
