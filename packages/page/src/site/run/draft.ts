const KEY = 'isopod-program'

/** An unsaved program of the editor. */
interface Draft {
  readonly language: string
  readonly code: string
}

/** Stores the editor's program for this tab, so that a reload does not lose it. */
export const draft = {
  /** The stored code, if its language matches. */
  of(language: string): string | undefined {
    try {
      const stored = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Partial<Draft> | null
      return stored?.language === language && typeof stored.code === 'string' ? stored.code : undefined
    } catch {
      return undefined
    }
  },
  /** Stores the program, unless it is too large for the storage. */
  keep(left: Draft): void {
    try {
      sessionStorage.setItem(KEY, JSON.stringify(left))
    } catch {
      sessionStorage.removeItem(KEY)
    }
  },
}
