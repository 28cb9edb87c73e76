// Elements of a page. Text becomes a text node: nothing is parsed as HTML.

export function make<K extends keyof HTMLElementTagNameMap>(
  kind: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(kind), properties);
  element.append(...children);
  return element;
}

export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no element ${id}`);
  return found;
}
