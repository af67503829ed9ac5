import { type IsopodErrorOptions, imageRemedy, RetryableError } from '@isopod/protocol'

/**
 * This host lacks an image or a runtime of a language, or the image lacks the program that runs the language. The job may
 * run on another worker, and other languages still run on this one.
 */
export class ImageFaultError extends RetryableError {}

/** This host lacks an image; the job can run here once the image is back. */
export class ImageMissingError extends ImageFaultError {
  /** How the catalogue names it. */
  readonly image: string

  /** @param message what is missing, and what to do about it. @default for the image of an engine */
  constructor(
    image: string,
    options?: IsopodErrorOptions,
    message = `image ${image} is not on this engine; ${imageRemedy(image)}`,
  ) {
    super(message, options)
    this.image = image
  }
}

/** A container ended under its program, which cannot have ended it, unless its init is defective. */
export class ContainerEndedError extends RetryableError {}

/** The driver's engine does not answer: no job can run until it does. */
export class DriverUnavailableError extends RetryableError {}

/** The disk of the driver's engine is full: no job can run until it has space again. */
export class DriverFullError extends DriverUnavailableError {}
