// Asks for a stack without workers that has one image, and prints each line about it: the argument is the image's name.
import { type ImageName, isImageName } from '../../src/images/image-names.ts'
import { ensureStack } from '../../src/stack/stack.ts'

const images: ImageName[] = process.argv.slice(2).filter(isImageName)
await ensureStack({ workers: 0, images, log: (line) => console.log(line) })
