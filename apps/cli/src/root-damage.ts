import { visible } from '@isopod/protocol'

/**
 * What is wrong with a root, and how to mend it; undefined if nothing is.
 *
 * @param name its image, or its digest
 * @param differences of its manifest
 */
export function damageText(name: string, differences: readonly string[]): string | undefined {
  const [first, ...others] = differences
  if (first === undefined) return undefined
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return `of ${name} was damaged (${visible(first)}${more}); isopod roots remove ${name} while no worker uses it, then make it again`
}
