/** An async iterator with backpressure: `give` waits until the item is taken. */
export class ResultStream<T> implements AsyncIterator<T, undefined> {
  readonly #given: { readonly item: T; readonly taken: () => void }[] = []
  readonly #takers: PromiseWithResolvers<IteratorResult<T, undefined>>[] = []
  readonly #onLeave: () => void
  #end: { readonly error?: unknown } | undefined

  /** @param onLeave called when the iteration ends early */
  constructor(onLeave: () => void) {
    this.#onLeave = onLeave
  }

  /** Resolves when the item was taken, or the iteration has ended. */
  give(item: T): Promise<void> {
    const taker = this.#takers.shift()
    if (taker !== undefined || this.#end !== undefined) {
      taker?.resolve({ done: false, value: item })
      return Promise.resolve()
    }
    return new Promise((taken) => this.#given.push({ item, taken }))
  }

  /** Ends the stream after the items that are left, with an error if there is one. */
  end(end: { readonly error?: unknown } = {}): void {
    this.#end ??= end
    for (const taker of this.#takers.splice(0)) this.#finish(taker)
  }

  next(): Promise<IteratorResult<T, undefined>> {
    const first = this.#given.shift()
    if (first !== undefined) {
      first.taken()
      return Promise.resolve({ done: false, value: first.item })
    }
    const taker = Promise.withResolvers<IteratorResult<T, undefined>>()
    if (this.#end === undefined) this.#takers.push(taker)
    else this.#finish(taker)
    return taker.promise
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    this.end()
    for (const { taken } of this.#given.splice(0)) taken()
    this.#onLeave()
    return { done: true, value: undefined }
  }

  #finish(taker: PromiseWithResolvers<IteratorResult<T, undefined>>): void {
    if (this.#end !== undefined && 'error' in this.#end) taker.reject(this.#end.error)
    else taker.resolve({ done: true, value: undefined })
  }
}
