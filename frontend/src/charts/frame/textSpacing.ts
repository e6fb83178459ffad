import { useSyncExternalStore } from 'react'

/** What readers set between letters, and besides between words, by a style of their own, in parts of the size of the type.
 * https://www.w3.org/TR/WCAG22/#text-spacing */
interface Spacing {
  readonly letter: number
  readonly word: number
}

let spacing: Spacing = { letter: 0, word: 0 }
/** Letters whose width tells that they were set anew; it stands in the page from the first chart on. */
let sample: HTMLElement | null = null
const told = new Set<() => void>()

/** What a text takes beyond its letters. */
export const spacingIn = (text: string, size: number): number =>
  spacing.letter === 0 && spacing.word === 0
    ? 0
    : size * (spacing.letter * [...text].length + spacing.word * (text.split(' ').length - 1))

function measure(letters: HTMLElement): void {
  const { fontSize, letterSpacing, wordSpacing } = getComputedStyle(letters)
  const share = (set: string) => (Number.parseFloat(set) || 0) / (Number.parseFloat(fontSize) || 1)
  const [letter, word] = [share(letterSpacing), share(wordSpacing)]
  if (letter === spacing.letter && word === spacing.word) return
  spacing = { letter, word }
  for (const tell of told) tell()
}

function follow(tell: () => void): () => void {
  told.add(tell)
  if (sample === null && typeof ResizeObserver !== 'undefined') {
    const letters = document.createElement('span')
    letters.className = 'vh'
    letters.style.width = 'auto'
    letters.setAttribute('aria-hidden', 'true')
    letters.textContent = 'set apart'
    document.body.prepend(letters)
    sample = letters
    new ResizeObserver(() => measure(letters)).observe(letters)
  }
  return () => told.delete(tell)
}

/** Draws anew what reserves room for texts when a reader sets them otherwise. */
export const useTextSpacing = (): Spacing => useSyncExternalStore(follow, () => spacing)
