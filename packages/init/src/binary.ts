import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** Processors that the programs are built for, by Node's names. */
export type Architecture = 'x64' | 'arm64'

/** A program that is built from C. */
export interface InitBinary {
  /** Path on this host. */
  readonly path: string
  readonly bytes: Uint8Array
  /** Lower-case hexadecimal; part of the name of the volume that holds the program. */
  readonly sha256: string
}

/** The binary for the container engine is missing or not a program. */
export class InitBinaryError extends Error {
  /** Stable name for programs. */
  readonly code = 'init_binary'
  override get name(): string {
    return 'InitBinaryError'
  }
}

const ELF_MACHINES: Record<Architecture, number> = { x64: 62, arm64: 183 }

/**
 * Reads the init program for one architecture.
 *
 * @param architecture processor of the container engine's host. @default this process's
 * @throws {InitBinaryError} whose message names the command that builds it
 */
export function initBinary(architecture: string = process.arch): Promise<InitBinary> {
  return readProgram('init', architecture)
}

/**
 * Reads the probe program: `probe NAME` tries one attack from inside a container.
 *
 * @param architecture processor of the container engine's host. @default this process's
 * @throws {InitBinaryError} whose message names the command that builds it
 */
export function probeBinary(architecture: string = process.arch): Promise<InitBinary> {
  return readProgram('probe', architecture)
}

/**
 * Reads the program that starts the sandboxes of the process driver; see spawner/main.c.
 *
 * @param architecture processor of this host. @default this process's
 * @throws {InitBinaryError} whose message names the command that builds it
 */
export function spawnerBinary(architecture: string = process.arch): Promise<InitBinary> {
  return readProgram('spawner', architecture)
}

async function readProgram(program: 'init' | 'spawner' | 'probe', architecture: string): Promise<InitBinary> {
  if (!isArchitecture(architecture)) {
    throw new InitBinaryError(`${program} is built for x64 and arm64, got ${architecture}`)
  }
  const path = fileURLToPath(new URL(`../build/isopod-${program}-${architecture}`, import.meta.url))
  const bytes = await readFile(path).catch((cause: unknown) => {
    const message = `${program} is not built: ${path} is missing; ${howToBuild(architecture)}`
    throw new InitBinaryError(message, { cause })
  })
  if (bytes.byteLength < 20 || bytes.readUInt32BE(0) !== 0x7f454c46) {
    throw new InitBinaryError(`${path} is not a program; ${howToBuild(architecture)}`)
  }
  // e_machine of the ELF header: a binary of another architecture would fail much later, inside a container.
  if (bytes.readUInt16LE(18) !== ELF_MACHINES[architecture]) {
    throw new InitBinaryError(`${path} is not built for ${architecture}; ${howToBuild(architecture)}`)
  }
  return { path, bytes, sha256: createHash('sha256').update(bytes).digest('hex') }
}

function isArchitecture(value: string): value is Architecture {
  return Object.hasOwn(ELF_MACHINES, value)
}

function howToBuild(architecture: Architecture): string {
  return architecture === process.arch
    ? 'run "npm run build --workspace @isopod/init" where a C compiler is installed, or build packages/init/Dockerfile'
    : `build packages/init/Dockerfile on ${architecture}`
}
