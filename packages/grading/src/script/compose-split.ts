/** Library and main file of one of the programs of a split test. */
interface SplitProgram {
  readonly library: string
  readonly main: string
}

/**
 * Fills in the main file of one of the programs of a split test.
 *
 * @param texts placeholder without `_json` → text
 * @example
 * ```ts
 * composeSplit({ library: 'def f(it): ...', main: 'exec({library_json}); f({code_json})' }, { code: 'x = 1' })
 * ```
 */
export function composeSplit(
  { library, main }: SplitProgram,
  texts: Readonly<Record<string, string>>,
): string {
  const all: Readonly<Record<string, string>> = { ...texts, library }
  return main.replaceAll(/\{([a-z]+)_json\}/g, (whole, name: string) =>
    // Lone surrogates are replaced, because UTF-8 cannot encode them.
    Object.hasOwn(all, name) ? JSON.stringify(all[name]?.toWellFormed()) : whole,
  )
}
