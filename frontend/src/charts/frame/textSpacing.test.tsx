import { act, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { textWidth } from './text'
import { useWidth } from './useWidth'

afterEach(() => vi.unstubAllGlobals())

const WORDS = 'two words'

function Reserved() {
  const [ref] = useWidth<HTMLParagraphElement>()
  return <p ref={ref}>{textWidth(WORDS, 10)}</p>
}

it('reserves more room for a text whose letters and words a reader has set apart', () => {
  const sized: (() => void)[] = []
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(tell: () => void) {
        sized.push(tell)
      }
      observe() {}
      disconnect() {}
    },
  )
  render(<Reserved />)
  const before = textWidth(WORDS, 10)
  const sheet = document.head.appendChild(document.createElement('style'))
  sheet.textContent =
    '* { font-size: 10px; letter-spacing: 1.2px !important; word-spacing: 1.6px !important }'
  act(() => {
    for (const tell of sized) tell()
  })
  sheet.remove()
  expect(textWidth(WORDS, 10) - before).toBeCloseTo(9 * 1.2 + 1.6)
  expect(Number(screen.getByRole('paragraph').textContent)).toBeCloseTo(textWidth(WORDS, 10))
})
