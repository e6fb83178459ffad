/** What an element says, with plain spaces where a number is held beside its unit: "24 min 42 s". */
export const textOf = (element: Element | null | undefined): string =>
  (element?.textContent ?? '').replaceAll('\u202f', ' ').replace(/(?<=\d (?:d|h|min))\u00a0(?=\d)/g, ' ')
