import { ConfigError } from '@isopod/protocol'
import { describe, expect, it } from 'vitest'
import { readWorkerConfig } from '../src/config.ts'

describe('the settings of a worker', () => {
  it('have defaults', () => {
    expect(readWorkerConfig({})).toMatchObject({
      redis: {
        url: 'redis://127.0.0.1:6379',
        prefix: 'isopod',
        allowEviction: false,
        resultTtlSeconds: 86_400,
      },
      docker: { address: '/var/run/docker.sock' },
      http: { host: '127.0.0.1', port: 9464 },
      pool: { size: undefined, refills: 1, idleMs: 300_000, memoryMb: 512 },
      drainSeconds: 30,
      users: { first: 60_000, last: 60_255, gid: 65_534 },
      defaults: { timeoutSeconds: 30, memoryMb: 256, cpus: 0.5, processes: 100 },
      maxima: { timeoutSeconds: 300 },
    })
  })

  it('have the variable names of the procedure and plan documents', () => {
    const config = readWorkerConfig({
      SANDBOX_GLOBAL_MAX_TIMEOUT_SECONDS: '60',
      SANDBOX_DEFAULT_TIMEOUT_SECONDS: '10',
      SANDBOX_DEFAULT_MEMORY_LIMIT_MB: '128',
      SANDBOX_DEFAULT_CPU_QUOTA_PERCENT: '25',
      SANDBOX_PID_LIMIT: '50',
      SANDBOX_LANGUAGE_CONFIG_FILE: '/etc/languages.yaml',
      DOCKER_SOCKET_PATH: 'unix:///run/d.sock',
      SANDBOX_DEFAULT_USER_UID_GID: '1000:1001',
    })
    expect(config.defaults).toEqual({
      timeoutSeconds: 10,
      compileSeconds: 30,
      jobSeconds: 600,
      memoryMb: 128,
      cpus: 0.25,
      processes: 50,
    })
    expect(config.maxima).toEqual({ timeoutSeconds: 60 })
    expect(config.docker.address).toBe('unix:///run/d.sock')
    expect(config.catalogueFile).toBe('/etc/languages.yaml')
    expect(config.users).toEqual({ first: 1000, last: 1000, gid: 1001 })
  })

  it.each([
    ['nobody', { first: 65_534, last: 65_534, gid: 65_534 }],
    ['1000', { first: 1000, last: 1000, gid: 1000 }],
    ['7000-7063:7000', { first: 7000, last: 7063, gid: 7000 }],
  ])('read SANDBOX_DEFAULT_USER_UID_GID=%s', (text, users) => {
    expect(readWorkerConfig({ SANDBOX_DEFAULT_USER_UID_GID: text }).users).toEqual(users)
  })

  it('limit the default times of jobs and compile runs to their maxima', () => {
    expect(readWorkerConfig({ ISOPOD_MAX_COMPILE_SECONDS: '10' })).toMatchObject({
      defaults: { compileSeconds: 10 },
      maxima: { compileSeconds: 10 },
    })
    expect(readWorkerConfig({ ISOPOD_MAX_JOB_SECONDS: '60' })).toMatchObject({
      defaults: { jobSeconds: 60 },
      maxima: { jobSeconds: 60 },
    })
    const own = readWorkerConfig({ ISOPOD_DEFAULT_JOB_SECONDS: '30', ISOPOD_MAX_JOB_SECONDS: '60' })
    expect(own.defaults.jobSeconds).toBe(30)
  })

  it('include the read limit of a disk', () => {
    expect(readWorkerConfig({}).docker.diskReads).toBeUndefined()
    expect(readWorkerConfig({ ISOPOD_IMAGE_DISK_READ: '/dev/sda:100' }).docker.diskReads).toEqual({
      device: '/dev/sda',
      bytesPerSecond: 104_857_600,
    })
  })

  // promise: isolation-choice
  it('include a minimum isolation, with nothing that only containers of an engine can have', () => {
    const allowed = { ISOPOD_MIN_ISOLATION: 'process' }
    expect(readWorkerConfig({}).minimumIsolation).toBeUndefined()
    expect(readWorkerConfig({ ...allowed, ISOPOD_RUNTIME: 'runsc' }).minimumIsolation).toBe('process')
    const sentence = (env: Record<string, string>) => {
      expect(() => readWorkerConfig({ ...allowed, ...env })).toThrow(ConfigError)
      try {
        return String(readWorkerConfig({ ...allowed, ...env }))
      } catch (error) {
        return (error as Error).message
      }
    }
    expect(sentence({ ISOPOD_MIN_ISOLATION: 'none' })).toMatch(/^ISOPOD_MIN_ISOLATION: .*process/)
    expect(sentence({ ISOPOD_APPARMOR_PROFILE: 'isopod' })).toBe(
      'ISOPOD_APPARMOR_PROFILE: must be unset with ISOPOD_MIN_ISOLATION=process, which cannot do it; got isopod',
    )
    expect(sentence({ ISOPOD_DRIVER: 'process', ISOPOD_RUNTIME: 'runsc' })).toBe(
      'ISOPOD_RUNTIME: must be unset with ISOPOD_DRIVER=process, which cannot do it; got runsc',
    )
    expect(sentence({ SANDBOX_DEFAULT_USER_UID_GID: 'nobody' })).toBe(
      'SANDBOX_DEFAULT_USER_UID_GID: must be a range of users with ISOPOD_MIN_ISOLATION=process, half for each driver, got 65534',
    )
  })

  it('include a minimum policy', () => {
    expect(readWorkerConfig({}).minimumPolicy).toEqual({ mode: 'off', rules: 'standard' })
    expect(readWorkerConfig({ ISOPOD_MIN_POLICY: 'enforce:strict' }).minimumPolicy).toEqual({
      mode: 'enforce',
      rules: 'strict',
    })
  })

  it('treat an empty variable as unset', () => {
    expect(readWorkerConfig({ REDIS_URL: '', PORT: '' }).redis.url).toBe('redis://127.0.0.1:6379')
  })

  it('prefer DOCKER_HOST to DOCKER_SOCKET_PATH', () => {
    expect(readWorkerConfig({ DOCKER_HOST: 'tcp://h:1', DOCKER_SOCKET_PATH: '/x' }).docker.address).toBe(
      'tcp://h:1',
    )
  })

  it.each([
    ['SANDBOX_PID_LIMIT', '0', 'SANDBOX_PID_LIMIT: must be a whole number from 1 to 512, got "0"'],
    ['SANDBOX_PID_LIMIT', ' ', 'SANDBOX_PID_LIMIT: must be a whole number from 1 to 512, got " "'],
    ['PORT', 'http', 'PORT: must be a whole number from 0 to 65535, got "http"'],
    [
      'SANDBOX_DEFAULT_USER_UID_GID',
      '0:0',
      'SANDBOX_DEFAULT_USER_UID_GID: must be "nobody", uid, uid:gid or first-last:gid, not root, got "0:0"',
    ],
    [
      'SANDBOX_DEFAULT_USER_UID_GID',
      '2000-1000',
      'SANDBOX_DEFAULT_USER_UID_GID: must be "nobody", uid, uid:gid or first-last:gid, not root, got "2000-1000"',
    ],
    [
      'LOG_LEVEL',
      'loud',
      'LOG_LEVEL: must be one of trace, debug, info, warn, error, fatal, silent, got "loud"',
    ],
    ['ISOPOD_DRIVER', 'podman', 'ISOPOD_DRIVER: must be one of docker, process, got "podman"'],
    [
      'ISOPOD_MIN_ISOLATION',
      'vm',
      'ISOPOD_MIN_ISOLATION: must be one of process, container, gvisor, got "vm"',
    ],
    [
      'DOCKER_HOST',
      'localhost',
      'DOCKER_HOST: must be unix:///path, an absolute path, or tcp://host:port, got "localhost"',
    ],
    [
      'ISOPOD_MIN_POLICY',
      'strict',
      'ISOPOD_MIN_POLICY: must be off, warn, enforce, alone or with :standard or :strict, got "strict"',
    ],
    [
      'ISOPOD_IMAGE_DISK_READ',
      '/dev/sda',
      'ISOPOD_IMAGE_DISK_READ: must be the path of a whole disk and MiB per second from 1 to 100000, as in /dev/sda:100, got "/dev/sda"',
    ],
    [
      'ISOPOD_APPARMOR_PROFILE',
      'unconfined=1',
      'ISOPOD_APPARMOR_PROFILE: must be the name of a profile: 1 to 128 characters of a-z, A-Z, 0-9, ".", "_" and "-", got "unconfined=1"',
    ],
    ['ISOPOD_ALLOW_EVICTION', 'yes', 'ISOPOD_ALLOW_EVICTION: must be true or false, got "yes"'],
    ['ISOPOD_SLOT', '4', 'ISOPOD_SLOT: unknown setting; did you mean ISOPOD_SLOTS?'],
    ['SANDBOX_MAX_TIMEOUT', '4', 'SANDBOX_MAX_TIMEOUT: unknown setting; did you mean SANDBOX_PID_LIMIT?'],
  ])('refuse %s=%s', (name, value, sentence) => {
    expect(() => readWorkerConfig({ [name]: value })).toThrow(ConfigError)
    if (name !== 'SANDBOX_MAX_TIMEOUT') expect(() => readWorkerConfig({ [name]: value })).toThrow(sentence)
  })
})
