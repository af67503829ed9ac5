import { Readable } from 'node:stream'
import { tryDocker } from '../engine/docker-cli.ts'
import type { EngineService } from '../engine/engine-service.ts'
import type { Log } from '../log.ts'
import { installPackages } from '../system-packages.ts'
import { baseImage, localBase } from './base-image.ts'
import type { ImageBuilder } from './image-builder.ts'
import { engineArchitecture, findImage, localImages } from './image-list.ts'

/** Builds images with an engine. */
export function engineBuilder(
  engine: EngineService,
  { env, log }: { env: NodeJS.ProcessEnv; log: Log },
): ImageBuilder {
  return {
    find: async (tag) => findImage(await localImages(engine.dockerHost), tag),
    localBase: () => localBase(engine),
    base: async () => {
      await installPackages(['docker-cli'], log, env)
      return await baseImage(engine, { env, log })
    },
    build: (words, dockerfile) => {
      const build = ['build', '--force-rm']
      if (dockerfile === undefined) return tryDocker(engine, [...build, ...words], { env })
      return tryDocker(engine, [...build, '--file', '-', ...words], {
        env,
        input: Readable.from([dockerfile]),
      })
    },
    reference: (tag) => tag,
    remove: async (image) => {
      await tryDocker(engine, ['rmi', image], { env })
    },
    architecture: () => engineArchitecture(engine.dockerHost),
  }
}
