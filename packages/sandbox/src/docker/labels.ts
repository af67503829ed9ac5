/** Labels on everything that Isopod makes on an engine; the reaper reads them. */
export const LABELS = {
  /** The deployment, so that two of them can share an engine. */
  deployment: 'isopod.deployment',
  /** Id of the worker that made it. */
  owner: 'isopod.owner',
  job: 'isopod.job',
  attempt: 'isopod.attempt',
  /** Milliseconds after its creation, by the engine's clock, after which the reaper of any deployment removes it. */
  lifetime: 'isopod.lifetime',
} as const
