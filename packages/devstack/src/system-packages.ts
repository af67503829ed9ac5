import { access } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { fileURLToPath } from 'node:url'
import { type Log, secondsSince } from './log.ts'
import { findProgram, lastLines, tryCommand } from './run-command.ts'
import { SetupError } from './setup-error.ts'

/** Programs from the distribution. Only specs need the last ones; only those in virtual machines need `qemu-*`. */
export type SystemNeed =
  | 'redis'
  | 'engine'
  | 'docker-cli'
  | 'debootstrap'
  | 'buildah'
  | 'c-compiler'
  | 'image-tools'
  | 'iproute2'
  | 'chromium'
  | 'mypy'
  | 'pytest'
  | 'qemu-x64'
  | 'qemu-arm64'
  | 'helm-functions'

/** Installs packages without starting services. `src` and `dist` are equally deep. */
const INSTALL = fileURLToPath(new URL('../scripts/install-packages.sh', import.meta.url))
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'
/** Where Debian installs the sources of Go libraries. */
const GO_LIBRARIES = '/usr/share/gocode/src'

/**
 * Installs the missing programs of `needs` from the distribution, without starting services. Logs nothing if all exist. Asks
 * first if the user is not root and has a terminal.
 *
 * @throws {SetupError} with the command to run if it cannot or may not install
 */
export async function installPackages(
  needs: readonly SystemNeed[],
  log: Log,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  if ((await missingPrograms(needs)).length === 0 && !(await needsKeyring(needs))) return
  if (process.platform !== 'linux' || !(await findProgram('apt-get'))) {
    const missing = (await missingPrograms(needs)).join(', ') || KEYRING
    throw new SetupError(`this machine lacks ${missing}; install that with its package manager and try again`)
  }
  let packages = await missingPackages(needs)
  const unknown = await tryCommand(['apt-cache', 'show', '--no-all-versions', ...packages])
  const byHand = `apt-get install -y --no-install-recommends ${packages.join(' ')}`
  await askPermission(packages, byHand, env)
  const startedAt = performance.now()
  await untilDone(async () => {
    let refreshed = ''
    if (unknown.exitCode !== 0) {
      refreshed = await refreshLists()
      // Only the package lists show which package has a program.
      packages = await missingPackages(needs)
    }
    log(`installing ${packages.join(', ')} with apt-get`)
    let outcome = await install(packages)
    if (outcome.exitCode !== 0) {
      refreshed = await refreshLists()
      outcome = await install(packages)
    }
    if (outcome.exitCode !== 0) {
      throw new SetupError(`"${byHand}" failed:\n${lastLines(`${outcome.output}\n${refreshed}`, 6)}`)
    }
  })
  const still = await missingPrograms(needs)
  if (still.length > 0) throw new SetupError(`${still.join(', ')} is still missing after "${byHand}"`)
  log(`installed in ${secondsSince(startedAt)}`)
}

/** Programs that a need means; a path means a library. */
const PROGRAMS: Record<SystemNeed, readonly string[]> = {
  redis: ['redis-server'],
  engine: ['dockerd', 'containerd', 'runc'],
  'docker-cli': ['docker'],
  debootstrap: ['mmdebstrap'],
  buildah: ['buildah'],
  'c-compiler': ['cc'],
  'image-tools': ['skopeo', 'umoci'],
  iproute2: ['ip'],
  chromium: ['chromium'],
  mypy: ['mypy'],
  pytest: ['pytest-3'],
  'qemu-x64': ['qemu-system-x86_64'],
  // Go, and the libraries of Helm's templates.
  'helm-functions': [
    'go',
    `${GO_LIBRARIES}/github.com/Masterminds/sprig`,
    `${GO_LIBRARIES}/sigs.k8s.io/yaml`,
  ],
  'qemu-arm64': ['qemu-system-aarch64', 'qemu-aarch64-static', 'arch-test'],
}

/** Packages whose name differs from that of the program, separated by spaces. */
const PACKAGES: Readonly<Record<string, string>> = {
  dockerd: 'docker.io',
  containerd: 'docker.io',
  runc: 'docker.io',
  cc: 'gcc libc6-dev',
  ip: 'iproute2',
  'pytest-3': 'python3-pytest',
  go: 'golang-go',
  [`${GO_LIBRARIES}/github.com/Masterminds/sprig`]: 'golang-github-masterminds-sprig-dev',
  [`${GO_LIBRARIES}/sigs.k8s.io/yaml`]: 'golang-k8s-sigs-yaml-dev',
  'qemu-system-x86_64': 'qemu-system-x86',
  'qemu-system-aarch64': 'qemu-system-arm',
  'qemu-aarch64-static': 'qemu-user-static',
}

async function missingPrograms(needs: readonly SystemNeed[]): Promise<string[]> {
  const missing: string[] = []
  for (const program of needs.flatMap((need) => PROGRAMS[need])) {
    const isThere = program.startsWith('/') ? await exists(program) : await findProgram(program)
    if (!isThere) missing.push(program)
  }
  return missing
}

async function missingPackages(needs: readonly SystemNeed[]): Promise<string[]> {
  const packages = new Set<string>()
  for (const program of await missingPrograms(needs)) {
    const names = program === 'docker' ? await dockerCliPackage() : (PACKAGES[program] ?? program)
    for (const name of names.split(' ')) packages.add(name)
  }
  if (await needsKeyring(needs)) packages.add('debian-archive-keyring')
  return [...packages]
}

/** Name of the package with the `docker` command, which newer releases separate from the daemon. */
async function dockerCliPackage(): Promise<string> {
  const { exitCode } = await tryCommand(['apt-cache', 'show', '--no-all-versions', 'docker-cli'])
  return exitCode === 0 ? 'docker-cli' : 'docker.io'
}

/** Whether Debian's archive keys must be installed; only Debian itself has them. */
async function needsKeyring(needs: readonly SystemNeed[]): Promise<boolean> {
  return needs.includes('debootstrap') && !(await exists(KEYRING))
}

async function askPermission(
  packages: readonly string[],
  byHand: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  if (process.getuid?.() === 0) return
  if (!(await findProgram('sudo'))) {
    throw new SetupError(`${packages.join(', ')} must be installed; run as root: ${byHand}`)
  }
  if (env['CI'] === 'true' && (await privileged(['true'])).exitCode === 0) return
  if (env['CI'] === 'true' || !process.stdin.isTTY || !process.stderr.isTTY) {
    throw new SetupError(`${packages.join(', ')} must be installed; run: sudo ${byHand}`)
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question(`Install ${packages.join(', ')} with sudo apt-get? [y/N] `)
    if (/^y(es)?$/i.test(answer.trim())) return
  } finally {
    terminal.close()
  }
  throw new SetupError(`nothing was installed; to do it yourself run: sudo ${byHand}`)
}

/**
 * Updates the package lists. A repository that does not respond is not an error here, because the packages may come from another one.
 *
 * @returns messages about repositories that did not respond
 */
async function refreshLists(): Promise<string> {
  const { output } = await privileged(['apt-get', 'update', '-o', 'Acquire::Retries=2', '-q'])
  return output
    .split('\n')
    .filter((line) => /^[WE]: /.test(line))
    .slice(-3)
    .map((line) => `${line}\n`)
    .join('')
}

function install(packages: readonly string[]) {
  return privileged(['sh', INSTALL, ...packages])
}

/** Lets apt-get end what it has begun when a signal would end this process; fails afterwards. */
async function untilDone(work: () => Promise<void>): Promise<void> {
  let interrupted = false
  const interrupt = () => {
    interrupted = true
  }
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
  try {
    await work()
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
  if (interrupted) throw new SetupError('set-up was interrupted')
}

function privileged(command: readonly [string, ...string[]]) {
  if (process.getuid?.() === 0) return tryCommand(command)
  // Without a terminal, sudo must not ask for a password.
  return tryCommand(process.stdin.isTTY ? ['sudo', ...command] : ['sudo', '-n', ...command])
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  )
}
