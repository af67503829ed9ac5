/**
 * Fills in the main file of one of the programs of a split test.
 *
 * @param main template with `{library_json}` and the placeholders of the texts
 * @param library the library as a JSON string
 * @param texts placeholder without `_json` → text
 * @example
 * ```ts
 * composeSplit('exec({library_json}); f({code_json})', '"def f(it): ..."', { code: 'x = 1' })
 * ```
 */
export function composeSplit(main: string, library: string, texts: Readonly<Record<string, string>>): string {
  return main.replaceAll(/\{([a-z]+)_json\}/g, (whole, name: string) => {
    if (name === 'library') return library
    // Lone surrogates are replaced, because UTF-8 cannot encode them.
    return Object.hasOwn(texts, name) ? JSON.stringify(texts[name]?.toWellFormed()) : whole
  })
}
