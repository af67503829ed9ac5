/** Records why something ended: the first cause wins, later ones are echoes of it. */
export class FirstCause<T> {
  #cause: { readonly value: T } | undefined

  /** Records `value` if nothing was recorded yet. */
  record(value: T): void {
    this.#cause ??= { value }
  }

  /** The first recorded cause, or undefined. */
  get value(): T | undefined {
    return this.#cause?.value
  }
}
