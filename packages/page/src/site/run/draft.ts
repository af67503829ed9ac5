const KEY = 'isopod-program'

/** A program that was left in the editor. */
interface Draft {
  readonly language: string
  readonly code: string
}

/** The program that this tab had in its editor, so that a reload does not lose it. */
export const draft = {
  /** The code, if it is of that language. */
  of(language: string): string | undefined {
    try {
      const stored = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Partial<Draft> | null
      return stored?.language === language && typeof stored.code === 'string' ? stored.code : undefined
    } catch {
      return undefined
    }
  },
  /** A program that is too large for the storage is not kept. */
  keep(left: Draft): void {
    try {
      sessionStorage.setItem(KEY, JSON.stringify(left))
    } catch {
      sessionStorage.removeItem(KEY)
    }
  },
}
