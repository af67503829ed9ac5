import { describe, expect, it } from 'vitest'
import { type ContainerPlan, containerOptions } from '../../src/docker/container-options.ts'
import { limits } from '../support/execution.ts'

const MIB = 1024 * 1024

const plan: ContainerPlan = {
  limits: limits(),
  image: 'sha256:abc',
  user: { uid: 65534, gid: 65534 },
  opens: ['/usr/bin/python3'],
  initVolume: 'isopod-init-0123',
  seccomp: '{"defaultAction":"SCMP_ACT_ERRNO"}',
  runtime: 'runc',
  labels: { 'isopod.job': 'j-1' },
}
const options = containerOptions(plan)
const host = options.HostConfig ?? {}

describe('container options: the container of an execution', () => {
  it('has no network', () => expect([host.NetworkMode, options.NetworkDisabled]).toEqual(['none', true]))
  it('cannot write to its image', () => expect(host.ReadonlyRootfs).toBe(true))
  it('has no capability', () => {
    expect(host.CapDrop).toEqual(['ALL'])
    expect(host.CapAdd).toBeUndefined()
    expect(host.Privileged).toBe(false)
  })
  it('cannot gain privileges', () => expect(host.SecurityOpt).toContain('no-new-privileges:true'))
  it('has the seccomp profile of the plan', () => {
    expect(host.SecurityOpt).toContain('seccomp={"defaultAction":"SCMP_ACT_ERRNO"}')
  })
  it('has the AppArmor profile of the plan, if any', () => {
    expect(host.SecurityOpt?.some((option: string) => option.startsWith('apparmor'))).toBe(false)
    const { HostConfig } = containerOptions({ ...plan, appArmor: 'isopod' })
    expect(HostConfig?.SecurityOpt).toContain('apparmor=isopod')
  })
  it('runs as the user of the plan', () => expect(options.User).toBe('65534:65534'))
  it('starts Isopod’s init, whatever command the image sets', () => {
    expect(options.Entrypoint).toEqual(['/isopod/init'])
    // The files that init opens ahead.
    expect(options.Cmd).toEqual(['/usr/bin/python3'])
    expect(options.Healthcheck).toEqual({ Test: ['NONE'] })
  })
  it('inherits no environment', () => expect(options.Env).toEqual([]))
  it('has no swap: memory and swap together have the limit of memory', () => {
    expect(host.Memory).toBe(256 * MIB)
    expect(host.MemorySwap).toBe(256 * MIB)
  })
  it('has its CPU quota', () => expect(host.NanoCpus).toBe(500_000_000))
  it('may have the requested number of processes, and init', () => expect(host.PidsLimit).toBe(101))
  it('writes no log on the host', () => expect(host.LogConfig).toEqual({ Type: 'none', Config: {} }))
  it('has no terminal', () => expect(options.Tty).toBe(false))
  it('has a private IPC namespace without message queues, which count for the whole host', () => {
    expect(host.IpcMode).toBe('none')
    expect(host.Ulimits).toContainEqual({ Name: 'msgqueue', Soft: 0, Hard: 0 })
  })
  it('stores no metrics of ended connections, except under gVisor', () => {
    expect(host.Sysctls).toEqual({ 'net.ipv4.tcp_no_metrics_save': '1' })
    expect(containerOptions({ ...plan, runtime: 'runsc' }).HostConfig?.Sysctls).toBeUndefined()
  })
  it('masks the engine’s default paths, and paths that containers share', () => {
    const masked = (host as { MaskedPaths?: string[] }).MaskedPaths
    for (const path of [
      '/proc/kcore',
      '/proc/keys',
      '/proc/timer_list',
      '/sys/firmware',
      '/dev/pts/ptmx',
      '/proc/locks',
    ]) {
      expect(masked).toContain(path)
    }
  })
  it('cannot write to kernel settings or to its own cgroup', () => {
    const { ReadonlyPaths } = host as { ReadonlyPaths?: string[] }
    expect(ReadonlyPaths).toEqual(
      expect.arrayContaining(['/proc/sys', '/proc/sysrq-trigger', '/sys/fs/cgroup']),
    )
  })
  it('has the disk read limit of the plan, if any', () => {
    expect(host.BlkioDeviceReadBps).toBeUndefined()
    const slow = containerOptions({ ...plan, diskReads: { device: '/dev/sda', bytesPerSecond: MIB } })
    expect(slow.HostConfig?.BlkioDeviceReadBps).toEqual([{ Path: '/dev/sda', Rate: MIB }])
  })
  it('leaves no core file', () => expect(host.Ulimits).toContainEqual({ Name: 'core', Soft: 0, Hard: 0 }))
  it('mounts nothing of the host except init, read-only', () => {
    expect(host.Binds).toBeUndefined()
    expect(host.Mounts).toHaveLength(1)
    expect(host.Mounts?.[0]).toMatchObject({ Type: 'volume', Source: 'isopod-init-0123', ReadOnly: true })
  })
  it('can write to three file systems of limited size that its user owns', () => {
    expect(Object.keys(host.Tmpfs ?? {})).toEqual(['/workspace', '/tmp', '/dev/shm'])
    for (const flags of Object.values(host.Tmpfs ?? {})) {
      expect(flags).toMatch(
        /^rw,nosuid,nodev,(no)?exec,size=\d+,nr_inodes=\d+,uid=65534,gid=65534,mode=0700$/,
      )
    }
  })
  it('shares the disk limit between workspace and /tmp', () => {
    expect(host.Tmpfs?.['/workspace']).toContain(`size=${48 * MIB},`)
    expect(host.Tmpfs?.['/tmp']).toContain(`size=${16 * MIB},`)
  })
  it('is neither restarted nor removed by the engine', () => {
    expect(host.RestartPolicy).toEqual({ Name: 'no' })
    expect(host.AutoRemove).toBe(false)
  })
  it('ends when the worker is gone', () => expect(options.StdinOnce).toBe(true))
  it('uses the requested runtime', () => {
    expect(host.Runtime).toBe('runc')
    expect(containerOptions({ ...plan, runtime: 'runsc' }).HostConfig?.Runtime).toBe('runsc')
  })
  it('has processes counted by gVisor, and a higher host limit that includes gVisor’s own', () => {
    const { Ulimits, PidsLimit } = containerOptions({ ...plan, runtime: 'runsc' }).HostConfig ?? {}
    expect(Ulimits).toContainEqual({ Name: 'nproc', Soft: 101, Hard: 101 })
    expect(PidsLimit).toBe(256 + 4 * 101)
    expect(host.Ulimits?.map(({ Name }) => Name)).not.toContain('nproc')
  })
  it('rounds the smallest disk to whole bytes', () => {
    const small = containerOptions({ ...plan, limits: limits({ diskMb: 1 }) }).HostConfig?.Tmpfs
    expect(small?.['/workspace']).toContain('size=786432,nr_inodes=1024,')
  })
})
