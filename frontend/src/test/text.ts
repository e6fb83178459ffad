/** What an element says, with plain spaces where a line does not end: "24 min 42 s". */
export const textOf = (element: Element | null | undefined): string =>
  (element?.textContent ?? '').replace(/[\u202f\u00a0]/g, ' ')
