import { type PointerEvent, useRef, useState } from 'react'
import { type Box, moved } from '../box'
import type { Scale } from './scale'

/** A rectangle drawn, or the plane moved: with shift, the middle button or a finger. */
export function useDrag({
  box,
  onMove,
  onSelect,
  onClick,
  width,
  height,
  at,
  x,
  y,
}: {
  box: Box
  onMove: (box: Box) => void
  onSelect: (box: Box) => void
  onClick: (at: { px: number; py: number }) => void
  width: number
  height: number
  at: (event: PointerEvent) => { px: number; py: number }
  x: Scale
  y: Scale
}) {
  const [brush, setBrush] = useState<{ left: number; top: number; width: number; height: number } | null>(
    null,
  )
  const begun = useRef<{ px: number; py: number; box: Box; moves: boolean } | null>(null)
  const cancel = () => {
    begun.current = null
    setBrush(null)
  }
  return {
    brush,
    cancel,
    begin: (event: PointerEvent<HTMLElement>) => {
      if (event.button > 1) return
      event.currentTarget.setPointerCapture?.(event.pointerId)
      const moves = event.shiftKey || event.button === 1 || event.pointerType === 'touch'
      begun.current = { ...at(event), box, moves }
    },
    move: (event: PointerEvent) => {
      const start = begun.current
      if (!start) return
      const { px, py } = at(event)
      if (start.moves) {
        onMove(moved(start.box, (start.px - px) / width, (start.py - py) / height))
      } else if (Math.abs(px - start.px) + Math.abs(py - start.py) > 4) {
        // A band that is flat or thin means all ranks, or all of the time.
        const across = Math.abs(px - start.px) >= 6
        const down = Math.abs(py - start.py) >= Math.min(24, height / 4)
        setBrush({
          left: across ? Math.min(px, start.px) : 0,
          width: across ? Math.abs(px - start.px) : width,
          top: down ? Math.min(py, start.py) : 0,
          height: down ? Math.abs(py - start.py) : height,
        })
      }
    },
    end: (event: PointerEvent) => {
      const start = begun.current
      const now = at(event)
      if (start && !brush && Math.abs(now.px - start.px) + Math.abs(now.py - start.py) <= 4) onClick(now)
      if (brush)
        onSelect({
          t0: x.invert(brush.left),
          t1: x.invert(brush.left + brush.width),
          y0: y.invert(brush.top),
          y1: y.invert(brush.top + brush.height),
        })
      cancel()
    },
  }
}
