import { PistonClient as ValidatingClient } from 'piston-api'
import { NodePistonClient, PistonClient } from 'piston-api-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Gateway, startTestGateway } from '../support/gateway.ts'
import { startWorld, type World } from '../support/world.ts'

let world: World
let gateway: Gateway

beforeAll(async () => {
  world = await startWorld({ workers: 0 })
  ;[gateway] = await Promise.all([
    startTestGateway(world, { ISOPOD_GATEWAY_DROP_INS: 'piston' }),
    world.addWorker(),
  ])
})

afterAll(async () => {
  await Promise.all([gateway?.close(), world?.close()])
})

const BROKEN = { language: 'c', version: '*', code: 'int main(' }

// promise: drop-in-piston
describe.each([
  ['fetch', PistonClient],
  ['http', NodePistonClient],
])('piston-api-client over %s', (_, Client) => {
  it('lists runtimes and executes', async () => {
    const client = new Client({ server: gateway.url })
    const runtimes = await client.runtimes()
    if (!runtimes.success) throw runtimes.error
    const [python] = runtimes.data.filter(({ language }) => language === 'python')
    expect(python).toMatchObject({ version: '3.13.0', aliases: expect.arrayContaining(['py']) })
    const files = [{ content: 'import sys; print(sys.argv[1:], input())' }]
    const result = await client.execute({
      ...{ language: 'py', version: '3.x', files, args: ['Hello', 'World'], stdin: 'in' },
    })
    expect(result).toMatchObject({
      success: true,
      data: { language: 'python', version: '3.13.0', run: { stdout: "['Hello', 'World'] in\n", code: 0 } },
    })
    const refused = await client.execute({ language: 'nope', version: '*', files })
    expect(refused).toEqual({ success: true, data: { message: 'nope-* runtime is unknown' } })
  })
})

// promise: drop-in-piston
describe('the client piston-api, which validates each response', () => {
  const open = () => new ValidatingClient({ baseUrl: gateway.url })

  it('lists runtimes and packages', async () => {
    const client = open()
    expect(await client.validateInstance()).toBe(true)
    expect(await client.getRuntimes({ language: 'bash' })).toMatchObject([{ language: 'bash' }])
    expect(await client.getPackages({ installed: true })).toContainEqual({
      ...{ language: 'bash', language_version: '5.2.0', installed: true },
    })
    await expect(client.installPackage({ language: 'bash', version: '5.x' })).rejects.toThrow(
      'API Error: POST is not allowed for /api/v2/packages',
    )
  })

  it('runs interpreted and compiled programs that succeed and that fail', async () => {
    const client = open()
    const bash = await client.run({ language: 'bash', version: '*', code: 'cat; exit 3', stdin: 'in' })
    expect(bash.run).toMatchObject({ stdout: 'in', code: 3, signal: null, status: 'RE' })
    const code = '#include <stdio.h>\nint main(void) { puts("compiled"); return 0; }'
    const compiled = await client.run({ language: 'c', version: '*', code })
    expect(compiled).toMatchObject({ run: { stdout: 'compiled\n' }, compile: { code: 0 } })
    expect(await client.run(BROKEN)).toMatchObject({ compile: { code: 1, status: 'RE' } })
    const late = await client.run({ language: 'bash', version: '*', code: 'sleep 9', run_timeout: 300 })
    expect(late.run).toMatchObject({ code: null, signal: 'SIGKILL', status: 'TO' })
  })

  it('throws the message of a refused request', async () => {
    await expect(open().run({ ...BROKEN, version: '1.x' })).rejects.toThrow(
      'API Error: c-1.x runtime is unknown',
    )
  })
})
