import { RetryableError } from '@isopod/protocol'

/**
 * This host lacks an image or a runtime of a language, or the image lacks the program that runs the language. The job may
 * run on another worker, and other languages still run on this one.
 */
export class ImageFaultError extends RetryableError {}

/** The driver's engine does not answer: no job can run until it does. */
export class DriverUnavailableError extends RetryableError {}
