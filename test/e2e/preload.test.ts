import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorld, type World } from '../support/world.ts'

let asked: World
let everywhere: World

beforeAll(async () => {
  ;[asked, everywhere] = await Promise.all([startWorld(), startWorld({ env: { ISOPOD_PRELOAD: 'node' } })])
})

afterAll(async () => {
  await Promise.all([asked?.close(), everywhere?.close()])
})

describe.concurrent('a preloaded interpreter', () => {
  it('runs the program of a job that asks for it, and the result says so', async () => {
    const code = 'import sys, numpy; print(sys.argv, numpy.arange(3)); sys.exit(4)'
    for (const preload of [false, true]) {
      expect(await asked.client.run({ language: 'python', code, preload })).toMatchObject({
        status: 'execution_error',
        exitCode: 4,
        stdout: "['main.py'] [0 1 2]\n",
        preloaded: preload,
      })
    }
  })

  it('is not used if the program would notice a difference, and the result says so', async () => {
    const job = { language: 'python', code: 'print(input_data)', inputData: [1], preload: true }
    expect(await asked.client.run(job)).toMatchObject({
      status: 'success',
      stdout: '[1]\n',
      preloaded: false,
    })
  })

  it('does not let its program reach init, even with the minimum of open files', async () => {
    const code = 'try:\n  print(open("/proc/1/environ").read())\nexcept OSError:\n  print("closed")'
    for (const openFiles of [16, 17, 64]) {
      const limits = { openFiles }
      expect(await asked.client.run({ language: 'python', code, preload: true, limits })).toMatchObject({
        stdout: 'closed\n',
        preloaded: true,
      })
    }
  })

  it('runs all programs of a language for which the deployment asks for it', async () => {
    const job = { language: 'javascript', code: 'console.log(process.argv.length)' }
    expect(await everywhere.client.run(job)).toMatchObject({ stdout: '2\n', preloaded: true })
    expect(await everywhere.client.run({ language: 'python', code: '1' })).toMatchObject({ preloaded: false })
  })
})
