import { count } from '../format'

const SHOWN = 3

/** "one; another; a third; 12 more": what stands beside the name of a kind, whose blocks are below. */
export function firstFew<T>(all: readonly T[], words: (one: T) => string): string {
  const more = all.length - SHOWN
  return [...all.slice(0, SHOWN).map(words), ...(more > 0 ? [`${count(more)} more`] : [])].join('; ')
}
