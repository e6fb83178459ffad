import { max } from 'd3-array'
import { type PointerEvent, useEffect, useRef } from 'react'
import type { Box } from './box'
import css from './Plane.module.css'
import { css as paint, useColours } from './palette'
import type { Tile } from './tiles'

const COLUMNS = 512
const TALL = 28
const INK = ['var(--text-3)'] as const

/** How much of each of 512 stretches of the run is spent inside calls, 0 to 1, by the busiest of what is given. */
export function busyByTime(tiles: readonly Tile[]): Float32Array {
  const found = new Float32Array(COLUMNS)
  for (const tile of tiles) {
    const sums = tile.kind === 'calls' ? ofCalls(tile) : ofPixels(tile)
    const most = max(sums) || 1
    for (let i = 0; i < COLUMNS; i++) found[i] = Math.max(found[i] ?? 0, (sums[i] ?? 0) / most)
  }
  return found
}

function ofCalls({ calls, box }: Extract<Tile, { kind: 'calls' }>): Float32Array {
  const sums = new Float32Array(COLUMNS)
  const scale = COLUMNS / (box.t1 - box.t0)
  for (let i = 0; i < calls.count; i++) {
    const from = ((calls.start[i] ?? 0) - box.t0) * scale
    const to = ((calls.end[i] ?? 0) - box.t0) * scale
    for (let at = Math.max(0, Math.floor(from)); at <= to && at < COLUMNS; at++)
      sums[at] = (sums[at] ?? 0) + Math.max(0.02, Math.min(to, at + 1) - Math.max(from, at))
  }
  return sums
}

function ofPixels({ fill, rows, columns }: Extract<Tile, { kind: 'pixels' }>): Float32Array {
  const sums = new Float32Array(COLUMNS)
  for (let i = 0; i < rows * columns; i++) {
    const at = Math.floor(((i % columns) * COLUMNS) / columns)
    sums[at] = (sums[at] ?? 0) + (fill[i] ?? 0)
  }
  return sums
}

/** The whole run, and where in it the window stands: drawn along, it moves. The keys of the plane do the same. */
export function MiniMap({
  busy,
  box,
  full,
  left,
  width,
  onMove,
}: {
  busy: Float32Array
  box: Box
  full: Box
  left: number
  width: number
  onMove: (box: Box) => void
}) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [colour] = useColours(canvas, INK)
  useEffect(() => {
    const element = canvas.current
    const context = element?.getContext('2d')
    if (!element || !context || !colour) return
    element.width = width
    element.height = TALL
    context.fillStyle = paint(colour, 0.8)
    for (let i = 0; i < busy.length; i++) {
      const value = busy[i] ?? 0
      const tall = value === 0 ? 0 : Math.max(1.5, value * (TALL - 4))
      context.fillRect((i * width) / COLUMNS, TALL - tall, Math.max(1, width / COLUMNS), tall)
    }
  }, [busy, width, colour])
  const long = full.t1 - full.t0
  const go = (event: PointerEvent<HTMLDivElement>) => {
    if (event.type === 'pointerdown') event.currentTarget.setPointerCapture?.(event.pointerId)
    else if (event.buttons === 0) return
    const bounds = event.currentTarget.getBoundingClientRect()
    const middle = full.t0 + ((event.clientX - bounds.left) / bounds.width) * long
    const half = (box.t1 - box.t0) / 2
    onMove({ ...box, t0: middle - half, t1: middle + half })
  }
  const at = (t: number) => ((t - full.t0) / long) * width
  return (
    <div
      className={`${css.map} screen`}
      style={{ marginLeft: left, width }}
      aria-hidden="true"
      title="The whole run; the frame is what is in view"
      onPointerDown={go}
      onPointerMove={go}
    >
      <canvas ref={canvas} style={{ width, height: TALL }} />
      <i style={{ left: at(box.t0), width: Math.max(3, at(box.t1) - at(box.t0)) }} />
    </div>
  )
}
