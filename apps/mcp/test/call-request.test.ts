import { createLogger } from '@isopod/telemetry'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, it, onTestFinished } from 'vitest'
import { Calls } from '../src/calls.ts'
import { createMcpServer } from '../src/mcp-server.ts'
import { LazyConnection } from '../src/tool-client.ts'
import { executeCodeTool } from '../src/tools/execute-code.ts'

it.each([
  [{ name: 'execute_code', arguments: [1] }, 'arguments: must be an object'],
  [{ name: 'execute_code', arguments: 'x' }, 'arguments: must be an object'],
  [{ name: 5 }, 'name: must be the name of a tool'],
  [{}, 'name: must be the name of a tool'],
  [{ name: 'nope' }, 'name: there is no such tool; the tools are execute_code'],
])('params of the wrong type are invalid params, and one sentence: %j', async (params, sentence) => {
  const server = createMcpServer({
    tools: [executeCodeTool({ tenant: 'models', waitSeconds: 5 })],
    connection: new LazyConnection(() => Promise.reject(new Error('nothing is to be enqueued'))),
    calls: new Calls(1),
    logger: createLogger({ name: 'test', level: 'silent', publicMessage: () => undefined }),
  })
  const [theirs, ours] = InMemoryTransport.createLinkedPair()
  await server.connect(ours)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(theirs)
  onTestFinished(() => client.close())
  const answer = client.request({ method: 'tools/call', params }, ResultSchema)
  await expect(answer).rejects.toMatchObject({ code: -32602, message: expect.stringMatching(`${sentence}$`) })
})
