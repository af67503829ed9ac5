/** Which jobs of the queue are meant: those that agree with each given field. */
export interface JobFilter {
  readonly batchId?: string | undefined
  /** Labels that the job has, among others. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** Name of the results queue. */
  readonly replyTo?: string | undefined
  readonly tenant?: string | undefined
}

/** Text that each JSON encoder writes as it is. */
const PLAIN = /^[\w .:-]*$/

/** Whether the data of a queued job agrees with a filter. Nothing in the data is trusted. */
export function matchesFilter(data: unknown, { batchId, labels = {}, replyTo, tenant }: JobFilter): boolean {
  const isEqual = (field: string, wanted: string | undefined, missing?: string) =>
    wanted === undefined || (fieldOf(data, field) ?? missing) === wanted
  return (
    isEqual('batchId', batchId) &&
    isEqual('replyTo', replyTo, 'default') &&
    isEqual('tenant', tenant, 'default') &&
    Object.entries(labels).every(([name, value]) => fieldOf(fieldOf(data, 'labels'), name) === value)
  )
}

/** Texts that the JSON of each matching job contains, so that Redis need not send most of the others. */
export function neededTexts({ batchId, labels = {}, replyTo, tenant }: JobFilter): string[] {
  const named = [replyTo, tenant].filter((name) => name !== 'default')
  const texts = [batchId, ...named, ...Object.entries(labels).flat()]
  return texts.flatMap((text) => (text !== undefined && PLAIN.test(text) ? [`"${text}"`] : []))
}

function fieldOf(data: unknown, name: string): unknown {
  if (typeof data !== 'object' || data === null) return undefined
  return Object.getOwnPropertyDescriptor(data, name)?.value
}
