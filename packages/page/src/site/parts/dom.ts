/** Attributes of a new element; false omits one. Not `style` or handlers, which the page's policy forbids. */
export type Attributes = Readonly<Record<string, string | number | boolean>>

/** Makes an element. Texts become text nodes, never markup. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) made.setAttribute(name, value === true ? '' : String(value))
  }
  made.append(...children)
  return made
}

/** The element of the page with that id. @throws if the page has no such element of that type */
export function byId<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id)
  if (found instanceof type) return found
  throw new TypeError(`#${id} is not a ${type.name}`)
}

/** Sets the text of an element if it differs, so that screen readers do not repeat it. */
export function setText(target: HTMLElement, text: string): void {
  if (target.textContent !== text) target.textContent = text
}
