import { refusedKind, type TargetRules } from '@isopod/webhooks'

/**
 * Returns why a callback URL is refused, as the end of a sentence that begins with the field; undefined if it is allowed.
 */
export type CallbackRule = (url: string) => string | undefined

/** @param targets allowed targets; undefined if this gateway delivers no webhooks */
export function callbackRule(targets: TargetRules | undefined): CallbackRule {
  return (url) => {
    if (targets === undefined) {
      return 'this gateway delivers no webhooks; its operator has set no ISOPOD_GATEWAY_WEBHOOK_SECRET'
    }
    const kind = refusedKind(url, targets)
    return kind && `its address is ${kind}, and this gateway does not call such addresses`
  }
}
