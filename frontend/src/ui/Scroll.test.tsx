import { render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { Scroll } from './Scroll'

const wide = (pixels: number) => {
  vi.spyOn(Element.prototype, 'scrollWidth', 'get').mockReturnValue(pixels)
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(360)
}
afterEach(() => vi.restoreAllMocks())

it('is gone to by keyboard where more lies beyond its edge', () => {
  wide(500)
  render(<Scroll label="Ranks">a wide table</Scroll>)
  expect(screen.getByRole('group', { name: 'Ranks' })).toHaveAttribute('tabindex', '0')
})

it('is no place to stop at where all is seen', () => {
  wide(360)
  render(<Scroll label="Ranks">a small table</Scroll>)
  expect(screen.queryByRole('group')).toBeNull()
  expect(screen.getByText('a small table')).not.toHaveAttribute('tabindex')
})

it('is gone to by keyboard once something wider stands in the place of what was there', () => {
  wide(360)
  const { rerender } = render(<Scroll label="Ranks">it is fetched</Scroll>)
  expect(screen.queryByRole('group')).toBeNull()
  wide(500)
  rerender(
    <Scroll label="Ranks">
      <p>a wide table</p>
    </Scroll>,
  )
  expect(screen.getByRole('group', { name: 'Ranks' })).toBeVisible()
})
