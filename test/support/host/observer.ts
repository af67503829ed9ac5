/** Observes one aspect of the host that no attack may change. */
export interface Observer {
  /**
   * Lists the changes since the start.
   *
   * @returns one sentence each
   */
  findings(): Promise<string[]>
  /** Removes what the observer has added to the host. */
  close?(): Promise<void>
}

/** Lists the names whose value has changed, appeared or disappeared, one sentence each. */
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
