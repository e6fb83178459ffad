import { scaleLinear } from 'd3-scale'
import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { useWidth } from '../../charts/frame/useWidth'
import { type Box, boxOfKey, moved, zoomed } from '../box'
import css from '../Plane.module.css'
import type { Rows } from '../rows'
import { Unknown } from '../Unknown'
import type { Place } from '../useSteps'
import { Axes, type Mark, TOP, UNDER } from './Axes'
import { placed } from './scale'
import { type Dimensions, type Paint, useCanvas } from './useCanvas'
import { useDrag } from './useDrag'
import { useWheel } from './useWheel'

interface PlaneProps {
  /** What a screen reader calls it. */
  readonly label: string
  readonly box: Box
  readonly full: Box
  readonly height: number
  readonly onMove: (box: Box) => void
  readonly onSize: (size: Dimensions) => void
  /** Draws the window; called for every frame that differs. */
  readonly paint: Paint
  /** What stands at a point, in words; `reach` is how far a few pixels are. */
  readonly describe: (t: number, y: number, reach: Place['reach']) => string | null
  /** Steps to the next or the one before with the keys n and p, in words; null where single calls are not drawn. */
  readonly step?: (by: 1 | -1) => string | null
  /** Keeps what stands at a point, or what was stepped to last. */
  readonly onPin?: (place: Place | null) => void
  readonly selection: Box | null
  readonly onSelect: (box: Box | null) => void
  readonly down: Rows
  /** Seconds after which nothing is known; null where all of the time is. */
  readonly knownTo?: number | null
  readonly marks?: readonly Mark[]
  /** Whether what the keys do stands below: once for planes that stand together. */
  readonly helps?: boolean
  readonly above?: (x: (t: number) => number, width: number) => ReactNode
  readonly beside?: (y: (row: number) => number, height: number) => ReactNode
  /** What is said of the picture, right below it. */
  readonly children?: ReactNode
}

const ABOVE = 34
const BESIDE = 72

/** Pixels left of the plane, beside it, and its own, in so much room. */
export function sidesOf(room: number, margin: boolean) {
  const left = room < 480 ? 52 : 72
  const beside = margin && room >= 620 ? BESIDE : 0
  return { left, beside, width: Math.max(40, room - left - beside) }
}

/** A plane of time by ranks or offsets: zoomed by a drawn rectangle, wheel and keys, moved by shift and drag. */
export function Plane(props: PlaneProps) {
  const { label, box, full, height, onMove, onSize, paint, describe, step, down, marks = [] } = props
  const { selection, onSelect, onPin, knownTo = null, helps = true } = props
  const [frame, room, measured] = useWidth<HTMLDivElement>(960)
  const canvas = useRef<HTMLCanvasElement>(null)
  const surface = useRef<HTMLElement>(null)
  const [pointer, setPointer] = useState<{ px: number; py: number } | null>(null)
  const [announced, setAnnounced] = useState('')
  const help = useId()
  const { left, beside, width } = sidesOf(room, props.beside !== undefined)
  const top = TOP + (props.above ? ABOVE : 0)
  const x = scaleLinear([box.t0, box.t1], [0, width])
  const y = scaleLinear([box.y0, box.y1], [0, height])
  const sized = useRef(onSize)
  sized.current = onSize
  useEffect(() => {
    if (measured) sized.current({ width, height })
  }, [measured, width, height])

  useCanvas(canvas, paint, box, width, height)

  const at = (event: { clientX: number; clientY: number }) => {
    const bounds = surface.current?.getBoundingClientRect()
    return {
      px: Math.min(width, Math.max(0, event.clientX - (bounds?.left ?? 0))),
      py: Math.min(height, Math.max(0, event.clientY - (bounds?.top ?? 0))),
    }
  }
  const reach = { t: (4 * (box.t1 - box.t0)) / width, y: (4 * (box.y1 - box.y0)) / height }
  const pinAt = ({ px, py }: { px: number; py: number }) =>
    onPin?.({ t: x.invert(px), y: y.invert(py), reach })
  const drag = useDrag({ box, onMove, onSelect, onClick: pinAt, width, height, at, x, y })

  useWheel(surface, (event) => {
    if (!event.ctrlKey && !event.metaKey && document.activeElement !== surface.current) return
    event.preventDefault()
    const { px, py } = at(event)
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) return onMove(moved(box, event.deltaX / width, 0))
    const factor = Math.exp(event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0016))
    const point = { t: x.invert(px), y: y.invert(py) }
    onMove(event.shiftKey ? zoomed(box, point, 1, factor) : zoomed(box, point, factor, 1))
  })

  const key = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (step && (event.key === 'n' || event.key === 'p')) {
      setAnnounced(step(event.key === 'n' ? 1 : -1) ?? '')
      return event.preventDefault()
    }
    if (event.key === 'Escape') {
      drag.cancel()
      return onSelect(null)
    }
    if (event.key === 'Enter' && onPin) return onPin(null)
    if (event.key === 's') return onSelect(box)
    if (event.key === 'z' && selection) return onMove(selection)
    const next = boxOfKey(event.key, event.shiftKey, box, full)
    if (!next) return
    event.preventDefault()
    onMove(next)
  }
  const hover = (event: PointerEvent) => {
    drag.move(event)
    setPointer(at(event))
  }
  // What stands there now: the plane may be moved by keys below a pointer that rests.
  const text = pointer && !drag.brush ? describe(x.invert(pointer.px), y.invert(pointer.py), reach) : null

  return (
    <div>
      <div className={css.frame} ref={frame} style={{ height: top + height + UNDER }}>
        <Axes
          box={box}
          down={down}
          x={x}
          y={y}
          room={room}
          left={left}
          top={top}
          width={width}
          height={height}
          marks={marks}
          above={props.above}
          beside={beside > 0 ? props.beside : undefined}
        />
        <section
          ref={surface}
          className={css.surface}
          style={{ left, top, width, height }}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes keys, and so the focus
          tabIndex={0}
          role="application"
          aria-label={label}
          aria-describedby={help}
          onKeyDown={key}
          onPointerDown={drag.begin}
          onPointerMove={hover}
          onPointerUp={drag.end}
          onPointerCancel={drag.cancel}
          onPointerLeave={() => setPointer(null)}
          onDoubleClick={(event) => {
            const { px, py } = at(event)
            onMove(zoomed(box, { t: x.invert(px), y: y.invert(py) }, 0.5, 1))
          }}
        >
          <canvas ref={canvas} style={{ width, height }} />
          {knownTo !== null && <Unknown from={x(knownTo)} width={width} />}
          {selection && !drag.brush && (
            <i className={css.selection} style={placed(selection, x, y, width, height)} />
          )}
          {drag.brush && <i className={css.brush} style={drag.brush} />}
          {pointer && text !== null && (
            <Tip x={pointer.px} y={pointer.py} text={text} width={width} height={height} />
          )}
        </section>
      </div>
      {props.children}
      <Help id={help} shown={helps} many={down.many} steps={step !== undefined} />
      <p className={css.spoken} aria-live="polite">
        {announced}
      </p>
    </div>
  )
}

/** What the keys do, for who reads it and who hears it. */
const Help = ({ id, shown, many, steps }: { id: string; shown: boolean; many: string; steps: boolean }) => (
  <p className={shown ? `${css.help} screen` : 'vh'} id={id}>
    Draw a rectangle to select; shift and drag moves. With the chart chosen: arrows move, + and − zoom in
    time, with shift in {many}, 0 shows all, s selects what is in view, z zooms to the selection
    {steps ? ', n and p go from call to call, Enter keeps one' : ''}; the wheel zooms, too.
  </p>
)

function Tip({ x, y, text, width, height }: { x: number; y: number; text: string } & Dimensions) {
  const onRight = x > width / 2
  return (
    <p
      className={css.tip}
      style={{
        left: onRight ? undefined : x + 14,
        right: onRight ? width - x + 14 : undefined,
        top: Math.min(y + 12, height - 20),
      }}
    >
      {text}
    </p>
  )
}
