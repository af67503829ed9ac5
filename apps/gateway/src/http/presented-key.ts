import type { ApiKey } from '@isopod/access'

/** The API key that a request presents. It is looked up and counted once per request. */
export class PresentedKey {
  readonly token: string
  found: Promise<ApiKey> | undefined

  constructor(token: string) {
    this.token = token
  }
}
