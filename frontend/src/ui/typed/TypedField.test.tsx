import { fireEvent, render, screen } from '@testing-library/react'
import { act } from 'react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { TypedField } from './TypedField'
import { TYPED_MS } from './useDebounced'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const field = () => screen.getByRole<HTMLInputElement>('searchbox')
const type = (value: string) => fireEvent.change(field(), { target: { value } })
const rest = () => act(() => vi.advanceTimersByTime(TYPED_MS))

/** An address that follows late, as that of a busy page does. */
function pending() {
  const asked: string[] = []
  const at = (value: string) => (
    <TypedField label="find" placeholder="" value={value} onRest={(words) => asked.push(words)} />
  )
  const { rerender } = render(at(''))
  return { asked, follow: (value: string) => rerender(at(value)) }
}

it('shows each letter at once and tells the words when typing rests', () => {
  const { asked, follow } = pending()
  for (const words of ['h', 'hd', 'hdf']) type(words)
  expect(field()).toHaveValue('hdf')
  expect(asked).toEqual([])
  rest()
  expect(asked).toEqual(['hdf'])
  follow('hdf')
  rest()
  expect(asked).toEqual(['hdf'])
})

it('keeps letters that were typed while the address was still on its way', () => {
  const { asked, follow } = pending()
  type('h')
  rest()
  type('hd')
  rest()
  type('hdf')
  follow('h')
  expect(field()).toHaveValue('hdf')
  follow('hd')
  expect(field()).toHaveValue('hdf')
  rest()
  expect(asked).toEqual(['h', 'hd', 'hdf'])
})

it('takes words that came from elsewhere: a view that is used, and the way back and forward', () => {
  const { asked, follow } = pending()
  type('h')
  rest()
  for (const words of ['h', '', 'h', 'by rank']) {
    follow(words)
    expect(field()).toHaveValue(words)
  }
  rest()
  expect(asked).toEqual(['h'])
})
