import type { Result } from '@isopod/client'
import { expect, test } from 'vitest'
import { DetailsReader } from '../src/execution-details.ts'

test('DetailsReader caches a finished execution and reads an unfinished one again', async () => {
  const reads: string[] = []
  const results = new Map<string, Result>()
  const reader = new DetailsReader({
    async result(id) {
      reads.push(id)
      return results.get(id)
    },
    state: async () => 'running',
  })
  const running = { state: 'running', status: null, language: null, wallMs: null }
  expect(await reader.read('a')).toEqual(running)
  expect(await reader.read('a')).toEqual(running)
  results.set('a', { status: 'success', language: 'bash@5.2', wallMs: 3 } as Result)
  const finished = { state: 'finished', status: 'success', language: 'bash@5.2', wallMs: 3 }
  expect(await reader.read('a')).toEqual(finished)
  expect(await reader.read('a')).toEqual(finished)
  expect(reads).toEqual(['a', 'a', 'a'])
})
