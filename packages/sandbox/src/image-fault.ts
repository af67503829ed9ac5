import { RetryableError } from '@isopod/protocol'

/**
 * A language's image or its runtime is missing on this engine, or the image lacks the program that runs the language. Another worker's may be in
 * order, and so are this one's other languages.
 */
export class ImageFaultError extends RetryableError {}
