import { mkdirSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkEngine, runCommand, tryCommand } from '@isopod/devstack'
import type { EngineMode } from '../legs.ts'

const ANSWER_MS = 300_000
/** The user without root on the root disk. */
const USER = 'isopod'
const USER_ID = 1000
const RUNTIME_DIR = `/run/user/${USER_ID}`

/** Starts the leg's engine. Resolves with its address. */
export async function startEngine(mode: EngineMode): Promise<string> {
  if (mode === 'rootless') return await startRootless()
  if (mode === 'userns-remap') await remapUsers()
  if (mode === 'newer-runc') await replaceRunc()
  return await untilAnswers('unix:///var/run/docker.sock')
}

/**
 * Replaces the old runc by the newer one under the same name, so that engine and worker use it. Not by a mount, because runc
 * re-executes itself from an overlay of its folder, which shows the file below the mount.
 */
async function replaceRunc(): Promise<void> {
  await runCommand(['cp', '--remove-destination', '/opt/newer-runc/usr/sbin/runc', '/usr/sbin/runc'])
  await runCommand(['systemctl', 'restart', 'docker.service'])
}

async function remapUsers(): Promise<void> {
  const settings = { 'data-root': '/images/plain', 'userns-remap': 'default' }
  writeFileSync('/etc/docker/daemon.json', JSON.stringify(settings))
  await runCommand(['systemctl', 'restart', 'docker.service'])
}

/** Starts rootless Docker with Debian's script, as a service of the user's systemd, which delegates control groups. */
async function startRootless(): Promise<string> {
  await runCommand(['systemctl', 'stop', 'docker.socket', 'docker.service'])
  mkdirSync('/images/rootless', { recursive: true })
  await runCommand(['chown', `${USER_ID}:${USER_ID}`, '/images/rootless'])
  const words = [
    ...['--unit=docker-rootless', '/usr/share/docker.io/contrib/dockerd-rootless.sh'],
    ...['--data-root', '/images/rootless'],
  ]
  await runCommand(await asUser(words))
  return await untilAnswers(`unix://${RUNTIME_DIR}/docker.sock`)
}

/** A command that starts another with `systemd-run` as the user without root, to whom systemd delegates cgroups. */
export async function asUser(words: readonly string[]): Promise<[string, ...string[]]> {
  await eventuallyThere(`${RUNTIME_DIR}/bus`)
  return [
    ...([
      'runuser',
      '-u',
      USER,
      '--',
      'env',
      `XDG_RUNTIME_DIR=${RUNTIME_DIR}`,
      `HOME=/home/${USER}`,
    ] as const),
    ...[`DBUS_SESSION_BUS_ADDRESS=unix:path=${RUNTIME_DIR}/bus`],
    ...['systemd-run', '--user', '--property=Delegate=yes', ...words],
  ]
}

async function untilAnswers(dockerHost: string): Promise<string> {
  const until = Date.now() + ANSWER_MS
  for (;;) {
    const problem = await checkEngine(dockerHost, {}, 10_000)
    if (problem === undefined) return dockerHost
    if (Date.now() > until) {
      const { output } = await tryCommand(['journalctl', '--no-pager', '-n', '40', '-o', 'cat'])
      throw new Error(`the engine at ${dockerHost} ${problem}\n${output}`)
    }
    await sleep(500)
  }
}

async function eventuallyThere(path: string): Promise<void> {
  const until = Date.now() + ANSWER_MS
  while ((await tryCommand(['test', '-e', path])).exitCode !== 0) {
    if (Date.now() > until) throw new Error(`${path} does not appear`)
    await sleep(500)
  }
}
