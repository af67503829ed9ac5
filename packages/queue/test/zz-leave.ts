import { Redis } from 'ioredis'
import { parseJob } from '@isopod/protocol'
import { startRedisServer } from '../../devstack/src/redis-server.ts'
const seen = new Map<Redis, string>()
const connect = Redis.prototype.connect
Redis.prototype.connect = function (this: Redis, ...a: []) { if (!seen.has(this)) seen.set(this, (this.options.connectionName ?? '-') + ' ' + new Error().stack?.split('\n').slice(2, 9).map((l) => l.trim().split('/').slice(-2).join('/')).join(' < ')); return connect.apply(this, a) }
const { newJobId, openConsumer, openProducer, unrunResult } = await import('../src/index.ts')
const server = await startRedisServer({ directory: '/tmp/leave/r', persistent: true })
const url = server.url
let bad = 0
for (let i = 0; i < 12 && !bad; i++) {
  seen.clear()
  const s = i === 0 ? server : await startRedisServer({ directory: '/tmp/leave/r', persistent: true })
  const consumer = await openConsumer({ url, workerId: 'leaving' })
  const producer = await openProducer({ url })
  producer.results('default', async () => {})
  consumer.run({ concurrency: 2, handle: async ({ id, job, attempt }) => unrunResult({ id, job, attempt, status: 'cancelled', errorMessage: '', workerId: 'leaving' }), giveUp: () => { throw new Error('nothing') } })
  const id = newJobId()
  await producer.enqueue([{ id, job: parseJob({ code: 'x' }) }])
  await producer.waitForResult(id)
  await s.stop()
  await new Promise((r) => setTimeout(r, Math.random() * 1500))
  const t = Date.now()
  await Promise.all([consumer.close().then(() => console.log('consumer closed', Date.now() - t)), producer.close().then(() => console.log('producer closed', Date.now() - t))])
  await new Promise((r) => setTimeout(r, 1500))
  for (const [c, w] of seen) if (!['end', 'wait'].includes(c.status)) { console.log(i, c.status, w); }
  await new Promise((r) => setTimeout(r, 2500))
  for (const [c, w] of seen) if (!['end', 'wait'].includes(c.status)) { console.log('LATE', i, c.status, w.slice(0, 40), (c as unknown as {reconnectTimeout: unknown}).reconnectTimeout !== null) ; }
}
console.log(process.getActiveResourcesInfo())
setTimeout(() => { console.log('still', process.getActiveResourcesInfo()); process.exit(1) }, 8000).unref()
