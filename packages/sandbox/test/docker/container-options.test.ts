import { describe, expect, it } from 'vitest'
import { type ContainerPlan, containerOptions } from '../../src/docker/container-options.ts'
import { limits } from '../support/execution.ts'

const MIB = 1024 * 1024

const plan: ContainerPlan = {
  limits: limits(),
  image: 'sha256:abc',
  user: { uid: 65534, gid: 65534 },
  initVolume: 'isopod-init-0123',
  seccomp: '{"defaultAction":"SCMP_ACT_ERRNO"}',
  runtime: 'runc',
  labels: { 'isopod.job': 'j-1' },
}
const options = containerOptions(plan)
const host = options.HostConfig ?? {}

describe('the container of an execution', () => {
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
  it('has the AppArmor profile of the plan, and names none without', () => {
    expect(host.SecurityOpt?.some((option: string) => option.startsWith('apparmor'))).toBe(false)
    const { HostConfig } = containerOptions({ ...plan, appArmor: 'isopod' })
    expect(HostConfig?.SecurityOpt).toContain('apparmor=isopod')
  })
  it('runs as the user of the plan', () => expect(options.User).toBe('65534:65534'))
  it('starts our init, whatever the image sets as its command', () => {
    expect(options.Entrypoint).toEqual(['/isopod/init'])
    expect(options.Cmd).toEqual([])
    expect(options.Healthcheck).toEqual({ Test: ['NONE'] })
  })
  it('inherits no environment', () => expect(options.Env).toEqual([]))
  it('has as much swap as memory, which is none', () => {
    expect(host.Memory).toBe(256 * MIB)
    expect(host.MemorySwap).toBe(256 * MIB)
  })
  it('has its CPU quota', () => expect(host.NanoCpus).toBe(500_000_000))
  it('may have as many processes as asked, and init', () => expect(host.PidsLimit).toBe(101))
  it('writes no log on the host', () => expect(host.LogConfig).toEqual({ Type: 'none', Config: {} }))
  it('has no terminal', () => expect(options.Tty).toBe(false))
  it('has IPC objects of its own and no queue that other containers count against', () => {
    expect(host.IpcMode).toBe('none')
    expect(host.Ulimits).toContainEqual({ Name: 'msgqueue', Soft: 0, Hard: 0 })
  })
  it('keeps no metrics of ended connections, except under gVisor', () => {
    expect(host.Sysctls).toEqual({ 'net.ipv4.tcp_no_metrics_save': '1' })
    expect(containerOptions({ ...plan, runtime: 'runsc' }).HostConfig?.Sysctls).toBeUndefined()
  })
  it('masks the engine’s paths, and what containers share', () => {
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
  it('may not write to the switches of the kernel, nor to its own cgroup', () => {
    const { ReadonlyPaths } = host as { ReadonlyPaths?: string[] }
    expect(ReadonlyPaths).toEqual(
      expect.arrayContaining(['/proc/sys', '/proc/sysrq-trigger', '/sys/fs/cgroup']),
    )
  })
  it('reads the disk without a limit, or with that of the plan', () => {
    expect(host.BlkioDeviceReadBps).toBeUndefined()
    const slow = containerOptions({ ...plan, diskReads: { device: '/dev/sda', bytesPerSecond: MIB } })
    expect(slow.HostConfig?.BlkioDeviceReadBps).toEqual([{ Path: '/dev/sda', Rate: MIB }])
  })
  it('leaves no core file', () => expect(host.Ulimits).toContainEqual({ Name: 'core', Soft: 0, Hard: 0 }))
  it('sees nothing of the host but init, read-only', () => {
    expect(host.Binds).toBeUndefined()
    expect(host.Mounts).toHaveLength(1)
    expect(host.Mounts?.[0]).toMatchObject({ Type: 'volume', Source: 'isopod-init-0123', ReadOnly: true })
  })
  it('can write to three sized file systems that belong to it', () => {
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
  it('is not restarted and not removed behind our back', () => {
    expect(host.RestartPolicy).toEqual({ Name: 'no' })
    expect(host.AutoRemove).toBe(false)
  })
  it('ends when the worker is gone', () => expect(options.StdinOnce).toBe(true))
  it('uses the runtime that was asked for', () => {
    expect(host.Runtime).toBe('runc')
    expect(containerOptions({ ...plan, runtime: 'runsc' }).HostConfig?.Runtime).toBe('runsc')
  })
  it('has its processes counted by gVisor, with room for those of gVisor on the host', () => {
    const { Ulimits, PidsLimit } = containerOptions({ ...plan, runtime: 'runsc' }).HostConfig ?? {}
    expect(Ulimits).toContainEqual({ Name: 'nproc', Soft: 101, Hard: 101 })
    expect(PidsLimit).toBe(256 + 4 * 101)
    expect(host.Ulimits?.map(({ Name }) => Name)).not.toContain('nproc')
  })
  it('takes whole bytes for the smallest disk', () => {
    const small = containerOptions({ ...plan, limits: limits({ diskMb: 1 }) }).HostConfig?.Tmpfs
    expect(small?.['/workspace']).toContain('size=786432,nr_inodes=1024,')
  })
})
