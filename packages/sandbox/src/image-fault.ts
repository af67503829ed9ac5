import { RetryableError } from '@isopod/protocol'

/**
 * A language's image is missing on this engine, or lacks the program that runs the language. Another worker's may be in
 * order, and so are this one's other languages.
 */
export class ImageFaultError extends RetryableError {}
