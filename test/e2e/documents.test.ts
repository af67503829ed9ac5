import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorld, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld()
})

afterAll(async () => {
  await world?.close()
})

describe.concurrent('the examples of the documents', () => {
  // promise: run-python
  it('hello (SOP, example 1)', async () => {
    expect(await world.client.run({ code: "print('Hello, World!')" })).toMatchObject({
      status: 'success',
      exitCode: 0,
      stdout: 'Hello, World!\n',
      stderr: '',
      errorMessage: null,
    })
  })

  // promise: run-error
  it('an error goes to stderr with its stack trace (SOP, example 2)', async () => {
    const result = await world.client.run({ code: 'x = 1/0', language: 'python' })
    expect(result).toMatchObject({ status: 'execution_error', exitCode: 1, stdout: '' })
    expect(result.stderr).toContain('ZeroDivisionError: division by zero')
    expect(result.stderr).toContain('File "/workspace/main.py", line 1')
  })

  // promise: run-javascript
  it('JavaScript (SOP, example 3)', async () => {
    const code = 'console.log(JSON.stringify({a: 1, b: 2}))'
    expect(await world.client.run({ code, language: 'javascript' })).toMatchObject({
      status: 'success',
      stdout: '{"a":1,"b":2}\n',
      stderr: '',
    })
  })

  // promise: timeout
  it('a timeout of five seconds (SOP, example 4)', async () => {
    const result = await world.client.run({
      code: 'import time; time.sleep(100)',
      limits: { timeoutSeconds: 5 },
    })
    expect(result).toMatchObject({ status: 'timeout', errorMessage: 'Execution timed out after 5 seconds' })
  })

  // promise: stdin
  it('stdin (MCP tool, usage example)', async () => {
    const code = "name = input('Enter your name: ')\nprint(f'Hello, {name}!')"
    expect(await world.client.run({ code, stdin: 'Alice' })).toMatchObject({
      status: 'success',
      stdout: 'Enter your name: Hello, Alice!\n',
    })
  })

  // promise: input-data
  it('input_data (service plan, verification 5)', async () => {
    const code = 'import json\nprint(sum(input_data["nums"]))'
    expect(await world.client.run({ code, inputData: { nums: [1, 2, 3] } })).toMatchObject({
      status: 'success',
      stdout: '6\n',
    })
  })

  // promise: no-network
  it('the network is blocked (service plan, verification 7)', async () => {
    const code = 'import urllib.request; urllib.request.urlopen("http://google.com")'
    const result = await world.client.run({ code })
    expect(result).toMatchObject({ status: 'execution_error', exitCode: 1 })
    expect(result.stderr).toContain('URLError')
  })

  // promise: libraries
  it('the allowed libraries can be imported (service plan)', async () => {
    const code =
      'import numpy, pandas, dateutil\nprint(pandas.DataFrame({"a": [1, 2]})["a"].sum(), numpy.arange(3).tolist())'
    expect(await world.client.run({ code })).toMatchObject({ status: 'success', stdout: '3 [0, 1, 2]\n' })
  })

  // promise: read-back
  it('resource usage has the fields of the API document', async () => {
    const { resourceUsage, limitsApplied } = await world.client.run({ code: 'sum(range(10**7))' })
    expect(resourceUsage).toMatchObject({ cpuSamples: expect.any(Number) })
    expect(resourceUsage?.memoryPeakMb).toBeGreaterThan(1)
    expect(resourceUsage?.cpuAveragePercent).toBeGreaterThan(5)
    expect(limitsApplied).toMatchObject({
      timeoutSeconds: 30,
      memoryMb: 256,
      memorySwapMb: 256,
      cpus: 0.5,
      processes: 100,
      diskMb: 64,
    })
  })
})

describe.concurrent('languages', () => {
  it('input_data is a global of JavaScript and a file everywhere', async () => {
    const inputData = { words: ['a', 'ü'], n: 1.5 }
    const javascript = await world.client.run({
      language: 'js',
      code: 'console.log(input_data.words.join("+"))',
      inputData,
    })
    const bash = await world.client.run({ language: 'bash', code: 'cat input.json', inputData })
    expect(javascript).toMatchObject({ status: 'success', stdout: 'a+ü\n' })
    expect(JSON.parse(bash.stdout)).toEqual(inputData)
  })

  it('a compile error differs from a run-time error, and shows the compiler’s output', async () => {
    const result = await world.client.run({ language: 'c', code: 'int main(void) { return x; }' })
    expect(result).toMatchObject({ status: 'compile_error', attributable: true })
    expect(result.compileOutput).toMatch(/error: .x. undeclared/)
    expect(result.stderr).toMatch(/error: .x. undeclared/)
  })

  it('a compiled program gets files, stdin and its own exit code', async () => {
    const code =
      '#include <stdio.h>\n#include "add.h"\nint main(void) { int a; scanf("%d", &a); return add(a); }'
    const files = { 'add.h': { content: 'static int add(int a) { return a + 2; }' } }
    expect(await world.client.run({ language: 'c', code, files, stdin: '40' })).toMatchObject({
      status: 'execution_error',
      exitCode: 42,
    })
  })

  it('files of a job are in its workspace, including folders and binary files', async () => {
    const files = {
      'data/words.txt': { content: 'one\ntwo\n' },
      'bytes.bin': { content: Buffer.from([0, 255, 10]).toString('base64'), encoding: 'base64' as const },
    }
    const code = 'print(open("data/words.txt").read().split(), list(open("bytes.bin","rb").read()))'
    expect(await world.client.run({ code, files })).toMatchObject({ stdout: "['one', 'two'] [0, 255, 10]\n" })
  })

  it('stdin of the maximum size arrives completely', async () => {
    const code = 'import sys, hashlib; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())'
    const stdin = 'z'.repeat(1024 * 1024)
    expect((await world.client.run({ code, stdin })).stdout.trim()).toBe(
      createHash('sha256').update(stdin).digest('hex'),
    )
  })
})
