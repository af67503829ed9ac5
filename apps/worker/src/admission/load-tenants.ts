import { ConfigError, describeProblems, tenantRulesSchema } from '@isopod/protocol'
import { OTHER_TENANTS, type TenantRule, type TenantRules } from '@isopod/queue'
import { readDocument } from '../document/read-document.ts'

/**
 * Reads the operator's rules of tenants, once, when the worker starts.
 *
 * @param path a YAML or JSON file with `tenants` and `others`; undefined: equal shares, no maxima
 * @throws {ConfigError} that names the file and each wrong field
 */
export async function loadTenants(path: string | undefined): Promise<TenantRules> {
  return path === undefined ? {} : parseTenants(await readDocument(path, 'the rules of tenants'), path)
}

/** Validates the data of such a file. @throws {ConfigError} */
export function parseTenants(document: unknown, path: string): TenantRules {
  const parsed = tenantRulesSchema.safeParse(document)
  if (!parsed.success) {
    const sentences = describeProblems(parsed.error, document).map(({ message }) =>
      message.replace(/^job: /, ''),
    )
    throw new ConfigError(`${path}: ${sentences.join('; ')}`)
  }
  const { tenants, others } = parsed.data
  const rules = Object.entries({ ...tenants, ...(others && { [OTHER_TENANTS]: others }) })
  return Object.fromEntries(
    rules.map(
      ([name, { weight, max_in_flight: maxInFlight, max_queued: maxQueued }]): [string, TenantRule] => [
        name,
        { weight, maxInFlight, maxQueued },
      ],
    ),
  )
}
