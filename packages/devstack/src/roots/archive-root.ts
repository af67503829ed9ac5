import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { NewRoot } from '@isopod/sandbox'
import { CONTENT_LABEL } from '../images/image-content.ts'
import type { Log } from '../log.ts'
import { runCommand, tryCommand } from '../run-command.ts'
import { SetupError } from '../setup-error.ts'
import { installPackages } from '../system-packages.ts'

/** The file that each kind of archive has, and how skopeo names the kind. */
const KINDS = [
  ['manifest.json', 'docker-archive'],
  ['oci-layout', 'oci-archive'],
] as const

/**
 * An image in a file as a root: what `docker save` writes, or an OCI archive. Its digest is the image's id, as an engine shows it.
 *
 * @throws {SetupError} if the file is neither, or holds several images
 */
export async function archiveRoot(
  file: string,
  reference: string,
  { env, log }: { env: NodeJS.ProcessEnv; log: Log },
): Promise<NewRoot> {
  const path = resolve(file)
  const kind = await kindOf(path, file)
  await installPackages(['image-tools'], log, env)
  const source = `${kind}:${path}`
  const inspected = await tryCommand(['skopeo', 'inspect', '--raw', '--config', source], { env })
  if (inspected.exitCode !== 0) throw new SetupError(`${file} is not usable: ${reasonOf(inspected.output)}`)
  const digest = `sha256:${createHash('sha256').update(inspected.stdout).digest('hex')}`
  const { config } = JSON.parse(inspected.stdout) as { config?: { Labels?: Record<string, string> } }
  const content = config?.Labels?.[CONTENT_LABEL]
  return { reference, digest, content, unpack: (directory) => unpackArchive(source, directory, env) }
}

async function kindOf(path: string, file: string): Promise<string> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) throw new SetupError(`there is no file ${file}`)
  const { exitCode, stdout } = await tryCommand(['tar', '--list', '--file', path])
  const names = new Set(stdout.split('\n').map((name) => name.replace(/^\.\//, '')))
  const kind = exitCode === 0 ? KINDS.find(([name]) => names.has(name)) : undefined
  if (kind !== undefined) return kind[1]
  throw new SetupError(`${file} is neither an archive of "docker save" nor an OCI archive`)
}

async function unpackArchive(source: string, directory: string, env: NodeJS.ProcessEnv): Promise<void> {
  // Beside the files, where there is space for them.
  const scratch = await mkdtemp(join(dirname(directory), 'layers-'))
  try {
    const layout = `${scratch}/layout:image`
    const copy = ['copy', '--quiet', '--insecure-policy', '--dest-compress-level', '1']
    await runCommand(['skopeo', ...copy, source, `oci:${layout}`], { env: { ...env, TMPDIR: scratch } })
    // Umoci compares each layer with the digest in the image's configuration.
    const rootless = process.getuid?.() === 0 ? [] : ['--rootless']
    await mkdir(directory, { recursive: true })
    await runCommand(['umoci', 'raw', 'unpack', ...rootless, '--image', layout, directory], { env })
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** The message in a line of skopeo's log. */
function reasonOf(output: string): string {
  const [, message] = /msg="((?:[^"\\]|\\.)*)"/.exec(output) ?? []
  return message === undefined ? output.trim() : message.replaceAll('\\"', '"')
}
