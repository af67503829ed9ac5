import type { Stack } from '@isopod/devstack'
import { describe, expect, it } from 'vitest'
import type { Services } from '../src/services.ts'
import { cli, fakeClient } from './support.ts'

const stack: Stack = {
  id: '0123abcd',
  redis: { url: 'redis+unix:///run/x', ours: true },
  engine: { dockerHost: 'unix:///run/y', ours: true },
  workers: [{ url: 'http://127.0.0.1:9', log: '/tmp/l', pid: 1 }],
}

/** Services that record each call. */
function recordingServices(found: Stack | undefined) {
  const calls: string[] = []
  const services: Services = {
    connect: async (url) => {
      calls.push(`connect ${url}`)
      return fakeClient().client
    },
    findStack: async () => found,
    findPrivateServices: async () => ({}),
    ensureStack: async ({ workers, log }) => {
      log('started a part')
      calls.push(`ensure ${workers}`)
      return stack
    },
    stackDown: async ({ purge }) => void calls.push(purge ? 'purge' : 'down'),
    startGateway: async ({ port, redisUrl }) => {
      calls.push(`gateway ${port} ${redisUrl}`)
      return {
        process: { pid: 1, startedAt: '0' },
        url: `http://127.0.0.1:${port}`,
        stop: async () => void calls.push('stop gateway'),
      }
    },
    openAccess: () => Promise.reject(new Error('not expected')),
    openWebhooks: () => Promise.reject(new Error('not expected')),
    openDeadResults: () => Promise.reject(new Error('not expected')),
    openQuarantine: () => Promise.reject(new Error('not expected')),
    openRoots: () => Promise.reject(new Error('not expected')),
    makeRoot: () => Promise.reject(new Error('not expected')),
    buildRoots: () => Promise.reject(new Error('not expected')),
    importRoot: () => Promise.reject(new Error('not expected')),
    catalogueImages: () => Promise.reject(new Error('not expected')),
    serveMcp: async (args, env) => {
      calls.push(['mcp', ...args, env['REDIS_URL']].join(' '))
      return 0
    },
  }
  return { calls, services }
}

const withoutRedis = { stdin: 'print(1)', env: { REDIS_URL: undefined } }

describe('the process driver', () => {
  const { engine: _, ...withoutEngine } = stack
  const given = { REDIS_URL: undefined, ISOPOD_DRIVER: 'process' }

  it('replaces a running stack with an engine only if the environment names it', async () => {
    const started = recordingServices(stack)
    await cli(['submit', '-'], { ...withoutRedis, env: given, services: started.services })
    expect(started.calls[0]).toBe('ensure 1')
    const found = recordingServices(withoutEngine)
    await cli(['submit', '-'], { ...withoutRedis, env: given, services: found.services })
    await cli(['submit', '-'], { ...withoutRedis, services: found.services })
    expect(found.calls).toEqual(['connect redis+unix:///run/x', 'connect redis+unix:///run/x'])
  })

  it('must have a known name', async () => {
    const { services } = recordingServices(stack)
    const env = { REDIS_URL: undefined, ISOPOD_DRIVER: 'podman' }
    const { exitCode, stderr } = await cli(['submit', '-'], { ...withoutRedis, env, services })
    expect([exitCode, stderr]).toEqual([
      2,
      'isopod: ISOPOD_DRIVER: must be docker or process, got "podman"\n',
    ])
    expect(await cli(['demo', '--driver', 'podman'], { services })).toMatchObject({ exitCode: 2 })
  })

  it('is what --driver names, more than the environment, and its addresses name no engine', async () => {
    const { services } = recordingServices(withoutEngine)
    const drivers: unknown[] = []
    const ensureStack: Services['ensureStack'] = async ({ env }) => {
      drivers.push(env['ISOPOD_DRIVER'])
      return withoutEngine
    }
    const words = ['up', '--driver', 'process', '--json', '--port', '1']
    const options = { services: { ...services, ensureStack, findStack: async () => undefined } }
    const { stdout } = await cli(words, { ...options, env: { ISOPOD_DRIVER: 'docker' } })
    expect(drivers).toEqual(['process'])
    expect(JSON.parse(stdout)).toMatchObject({ driver: 'process' })
    expect(JSON.parse(stdout)).not.toHaveProperty('engine')
    expect((await cli(['up', '--port', '1'], options)).stdout).toContain('\ndriver   process\n')
  })
})

describe('a command without REDIS_URL', () => {
  it('uses the running stack silently and leaves it running', async () => {
    const { calls, services } = recordingServices(stack)
    const { stderr } = await cli(['submit', '-'], { ...withoutRedis, services })
    expect(calls).toEqual(['connect redis+unix:///run/x'])
    expect(stderr).toBe('')
  })

  it('starts a stack if none is running, says so in one line, and leaves it running', async () => {
    const { calls, services } = recordingServices(undefined)
    const { stderr } = await cli(['submit', '-'], { ...withoutRedis, services })
    expect(calls).toEqual(['ensure 1', 'connect redis+unix:///run/x'])
    expect(stderr).toMatch(/^isopod: no REDIS_URL[^\n]*a private stack starts[^\n]*\n$/)
  })

  it('starts nothing for invalid arguments', async () => {
    const { calls, services } = recordingServices(undefined)
    await cli(['run', '-', '--timeout', '0'], { ...withoutRedis, services })
    expect(calls).toEqual([])
  })
})

describe('a command with REDIS_URL', () => {
  it('uses that Redis and starts nothing', async () => {
    const { calls, services } = recordingServices(stack)
    const { stderr } = await cli(['submit', '-'], {
      stdin: 'x',
      env: { REDIS_URL: 'redis://mine' },
      services,
    })
    expect(calls).toEqual(['connect redis://mine'])
    expect(stderr).toBe('')
  })
})

describe('isopod mcp', () => {
  it('starts the MCP server with the Redis of REDIS_URL, and prints nothing itself', async () => {
    const { calls, services } = recordingServices(stack)
    const env = { REDIS_URL: 'redis://mine' }
    expect(await cli(['mcp', '--http', '8008'], { env, services })).toMatchObject({ exitCode: 0, stdout: '' })
    expect(calls).toEqual(['mcp --http 8008 redis://mine'])
  })

  it('uses the running stack', async () => {
    const { calls, services } = recordingServices(stack)
    await cli(['mcp'], { ...withoutRedis, services })
    expect(calls).toEqual(['mcp redis+unix:///run/x'])
  })

  it.each(['x', '70000', 'host:', '::1:80'])('refuses --http %s before anything starts', async (address) => {
    const { calls, services } = recordingServices(undefined)
    const { exitCode, stderr } = await cli(['mcp', '--http', address], { ...withoutRedis, services })
    expect([exitCode, calls]).toEqual([2, []])
    expect(stderr).toContain('isopod: --http: must be [host:]port')
  })
})

describe('isopod up and down', () => {
  it('prints the addresses, waits for SIGTERM, and takes everything down', async () => {
    const { calls, services } = recordingServices(undefined)
    const running = cli(['up', '--workers', '3', '--port', '8123'], { ...withoutRedis, services })
    await expect.poll(() => calls).toEqual(['ensure 3', 'gateway 8123 redis+unix:///run/x'])
    process.emit('SIGTERM')
    const { exitCode, stdout } = await running
    expect(exitCode).toBe(0)
    expect(stdout).toContain('http://127.0.0.1:9/metrics\n')
    expect(stdout).toContain('http://127.0.0.1:8123 (reference: http://127.0.0.1:8123/docs)\n')
    expect(calls.slice(2)).toEqual(['stop gateway', 'down'])
  })

  it('listens on PORT unless --port is given, and prints the addresses as JSON if asked', async () => {
    const listensOn = async (...args: string[]) => {
      const { calls, services } = recordingServices(undefined)
      const env = { ...withoutRedis.env, PORT: '8200' }
      const running = cli(['up', ...args], { ...withoutRedis, env, services })
      await expect.poll(() => calls.length).toBe(2)
      process.emit('SIGTERM')
      return { gateway: calls[1], stdout: (await running).stdout }
    }
    const { gateway, stdout } = await listensOn('--json')
    expect(gateway).toMatch(/^gateway 8200 /)
    expect(JSON.parse(stdout)).toMatchObject({ page: 'http://127.0.0.1:8200', redis: 'redis+unix:///run/x' })
    expect((await listensOn('--port', '8300')).gateway).toMatch(/^gateway 8300 /)
  })

  it('lets the gateway choose a free port for 0', async () => {
    const { calls, services } = recordingServices(undefined)
    const running = cli(['up'], { ...withoutRedis, env: { ...withoutRedis.env, PORT: '0' }, services })
    await expect.poll(() => calls.length).toBe(2)
    process.emit('SIGTERM')
    expect((await running).exitCode).toBe(0)
    expect(calls[1]).toMatch(/^gateway undefined /)
  })

  it('ends with an error when its stack is gone', async () => {
    const { calls, services } = recordingServices(undefined)
    const { exitCode, stderr } = await cli(['up'], { ...withoutRedis, services })
    expect(exitCode).toBe(3)
    expect(stderr).toContain('isopod: the stack is gone')
    expect(calls.at(-1)).toBe('down')
  })

  it('leaves a stack running that it has found, if it cannot start', async () => {
    const { calls, services } = recordingServices(stack)
    const startGateway = () => Promise.reject(new Error('port 8007 is in use'))
    const { exitCode } = await cli(['up'], { services: { ...services, startGateway } })
    expect(exitCode).toBe(3)
    expect(calls).toEqual(['ensure 1'])
  })

  it('takes down what a failed start has left', async () => {
    const { calls, services } = recordingServices(undefined)
    const broken = { ...services, ensureStack: () => Promise.reject(new Error('no engine')) }
    expect((await cli(['up'], { ...withoutRedis, services: broken })).exitCode).toBe(3)
    expect(calls).toEqual(['down'])
  })

  it('takes the stack down, and purges it with --purge', async () => {
    const { calls, services } = recordingServices(undefined)
    await cli(['down'], { ...withoutRedis, services })
    await cli(['down', '--purge'], { ...withoutRedis, services })
    const json = await cli(['down', '--json'], { ...withoutRedis, services })
    expect(JSON.parse(json.stdout)).toEqual({ done: [] })
    expect(calls).toEqual(['down', 'purge', 'down'])
  })

  it.each(['-1', '65536', 'x'])('refuses --port %s', async (port) => {
    const { calls, services } = recordingServices(undefined)
    expect((await cli(['up', '--port', port], { services })).exitCode).toBe(2)
    expect(calls).toEqual([])
  })

  it.each(['0', '65', 'x'])('refuses --workers %s', async (workers) => {
    const { calls, services } = recordingServices(undefined)
    expect((await cli(['up', '--workers', workers], { services })).exitCode).toBe(2)
    expect(calls).toEqual([])
  })
})
