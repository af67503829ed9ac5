/** One kind of thing on the host that no attack may touch. */
export interface Observer {
  /**
   * What an attack has done to it since the watch began.
   *
   * @returns one sentence each; empty while all is as it was
   */
  findings(): Promise<string[]>
  /** Takes away what the observer put on the host. */
  close?(): Promise<void>
}

/** Compares named values with those of the start. */
export function differences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names]
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => `${name} was ${shown(before.get(name))}, is ${shown(after.get(name))}`)
}

function shown(value: string | undefined): string {
  return value === undefined ? 'absent' : JSON.stringify(value.slice(0, 200))
}
