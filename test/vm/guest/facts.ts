import { existsSync, readFileSync } from 'node:fs'
import { release } from 'node:os'
import { engineJson, tryCommand } from '@isopod/devstack'

/** Facts about this machine for the head of a report: versions, control groups, security modules. */
export async function facts(dockerHost: string): Promise<Record<string, string>> {
  const info = (await engineJson(dockerHost, '/info')) as {
    ServerVersion: string
    CgroupDriver: string
    CgroupVersion: string
    SecurityOptions: string[]
  }
  const runc = (await tryCommand(['runc', '--version'])).stdout.split('\n')[0] ?? ''
  const controllers = '/sys/fs/cgroup/cgroup.controllers'
  return {
    kernel: `${release()} ${process.arch}`,
    node: process.version,
    engine: `${info.ServerVersion} (${info.SecurityOptions.join(', ')})`,
    runc: runc.replace('runc version ', ''),
    cgroup: `v${info.CgroupVersion}, ${info.CgroupDriver}`,
    controllers: existsSync(controllers) ? readFileSync(controllers, 'utf8').trim() : 'v1',
  }
}
