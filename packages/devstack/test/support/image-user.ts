// Starts a stack without workers, with the images that the arguments name, and prints its log.
import { type ImageName, isImageName } from '../../src/images/image-names.ts'
import { ensureStack } from '../../src/stack/stack.ts'

const images: ImageName[] = process.argv.slice(2).filter(isImageName)
await ensureStack({ workers: 0, images, log: (line) => console.log(line) })
