import { runCommand } from '@isopod/devstack'
import { say } from './report.ts'

const ARCHIVE = '/images/few.tar'

/** Loads the archive of images into an engine without images. */
export async function loadImages(dockerHost: string): Promise<void> {
  say('loading the images into the engine')
  const env = { ...process.env, DOCKER_HOST: dockerHost }
  await runCommand(['docker', 'load', '--quiet', '--input', ARCHIVE], { env })
}
