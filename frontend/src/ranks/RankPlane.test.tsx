import { fireEvent, render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { RankLayer } from './columns'
import { RankPlane } from './RankPlane'

/** A layer whose ranks each wrote so many bytes. */
const layerOf = (...written: number[]): RankLayer => ({
  layer: 'POSIX',
  basis: 'records',
  source: 0,
  partial: false,
  bytes_written: written,
  bytes_read: written.map(() => 0),
  read_s: null,
  write_s: null,
  metadata_s: null,
})
const drawing = (layer: RankLayer) => (
  <RankPlane
    layer={layer}
    values={Float64Array.from(layer.bytes_written)}
    time={false}
    sorted={false}
    node={() => null}
  />
)

it('has chosen no rank of a layer that has fewer than the one before', () => {
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null)
  const { container, rerender } = render(drawing(layerOf(1, 2, 3, 4)))
  const slider = screen.getByRole('slider')
  fireEvent.keyDown(slider, { key: 'End' })
  expect(slider).toHaveAttribute('aria-valuenow', '3')
  rerender(drawing(layerOf(5, 6)))
  expect(slider).toHaveAttribute('aria-valuetext', 'no rank chosen')
  expect(slider).toHaveAttribute('aria-valuenow', '0')
  // That of the mean alone.
  expect(container.querySelectorAll('svg:last-of-type line')).toHaveLength(1)
  vi.restoreAllMocks()
})
