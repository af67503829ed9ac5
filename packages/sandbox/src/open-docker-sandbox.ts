import { ContainerSandbox, type ContainerSandboxOptions } from './container-sandbox.ts'
import type { DockerDriverOptions } from './docker/docker-driver.ts'
import { openDockerDriver } from './docker/open-docker-driver.ts'
import type { Sandbox } from './sandbox.ts'

/** Options of {@link openDockerSandbox}. */
export interface DockerSandboxOptions extends DockerDriverOptions, ContainerSandboxOptions {}

/**
 * Connects to a Docker engine, checks what it can enforce, and opens a sandbox whose containers it makes.
 *
 * @throws {UnavailableError} if it does not answer, {@link TerminalError} if it cannot confine or its runc is known not to,
 *   {@link ConfigError} if a seccomp profile is not usable
 */
export async function openDockerSandbox(options: DockerSandboxOptions): Promise<Sandbox> {
  return new ContainerSandbox(await openDockerDriver(options), options)
}
