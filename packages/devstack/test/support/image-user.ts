// Starts a stack without workers that has one image, whose name is the argument, and prints each log line about the image.
import { type ImageName, isImageName } from '../../src/images/image-names.ts'
import { ensureStack } from '../../src/stack/stack.ts'

const images: ImageName[] = process.argv.slice(2).filter(isImageName)
await ensureStack({ workers: 0, images, log: (line) => console.log(line) })
