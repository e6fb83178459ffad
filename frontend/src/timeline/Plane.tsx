import { scaleLinear } from 'd3-scale'
import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { Axis } from '../charts/frame/Axis'
import { useWidth } from '../charts/frame/useWidth'
import { type Box, boxOfKey, moved, zoomed } from './box'
import css from './Plane.module.css'
import { type Rows, ticksOf } from './rows'
import { Unknown } from './Unknown'

export interface Mark {
  readonly from_s: number
  readonly to_s: number
  readonly late: boolean
}

interface Dimensions {
  readonly width: number
  readonly height: number
}

interface PlaneProps {
  /** What a screen reader calls it. */
  readonly label: string
  readonly box: Box
  readonly full: Box
  readonly height: number
  readonly onMove: (box: Box) => void
  readonly onSize: (size: Dimensions) => void
  /** Draws the window; called for every frame that differs. */
  readonly paint: (context: CanvasRenderingContext2D, box: Box, size: Dimensions) => void
  /** What stands at a point, in words; `reach` is how far a few pixels are. */
  readonly tell: (t: number, y: number, reach: { t: number; y: number }) => string | null
  /** Steps to the next or the one before with the keys n and p, in words; null where single calls are not drawn. */
  readonly step?: (by: 1 | -1) => string | null
  /** Keeps what stands at a point, or what was stepped to last. */
  readonly onPin?: (at: { t: number; y: number; reach: { t: number; y: number } } | null) => void
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
}

const TOP = 10
const UNDER = 26
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
  const { label, box, full, height, onMove, onSize, paint, tell, step, down, marks = [] } = props
  const { selection, onSelect, onPin, knownTo = null, helps = true } = props
  const [frame, room, measured] = useWidth<HTMLDivElement>(960)
  const canvas = useRef<HTMLCanvasElement>(null)
  const surface = useRef<HTMLElement>(null)
  const [said, setSaid] = useState<{ x: number; y: number; text: string } | null>(null)
  const [spoken, setSpoken] = useState('')
  const help = useId()
  const { left, beside, width } = sidesOf(room, props.beside !== undefined)
  const top = TOP + (props.above ? ABOVE : 0)
  const x = scaleLinear([box.t0, box.t1], [0, width])
  const y = scaleLinear([box.y0, box.y1], [0, height])
  const ticks = x.ticks(width < 420 ? 4 : 8).filter((tick) => x(tick) <= width - 24)

  const middleOf = (of: number) => (down.whole && height / (box.y1 - box.y0) >= 8 ? y(of + 0.5) : y(of))

  const sized = useRef(onSize)
  sized.current = onSize
  useEffect(() => {
    if (measured) sized.current({ width, height })
  }, [measured, width, height])

  useLayoutEffect(() => {
    const element = canvas.current
    const context = element?.getContext('2d')
    if (!element || !context) return
    const scale = globalThis.devicePixelRatio || 1
    if (element.width !== Math.round(width * scale)) element.width = Math.round(width * scale)
    if (element.height !== Math.round(height * scale)) element.height = Math.round(height * scale)
    context.setTransform(scale, 0, 0, scale, 0, 0)
    context.clearRect(0, 0, width, height)
    paint(context, box, { width, height })
  }, [paint, box, width, height])

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

  // React's own wheel handlers are passive: the page would scroll as well.
  const wheel = useRef<(event: WheelEvent) => void>(() => {})
  wheel.current = (event) => {
    if (!event.ctrlKey && !event.metaKey && document.activeElement !== surface.current) return
    event.preventDefault()
    const { px, py } = at(event)
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) return onMove(moved(box, event.deltaX / width, 0))
    const factor = Math.exp(event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0016))
    const point = { t: x.invert(px), y: y.invert(py) }
    onMove(event.shiftKey ? zoomed(box, point, 1, factor) : zoomed(box, point, factor, 1))
  }
  useEffect(() => {
    const element = surface.current
    const listen = (event: WheelEvent) => wheel.current(event)
    element?.addEventListener('wheel', listen, { passive: false })
    return () => element?.removeEventListener('wheel', listen)
  }, [])

  const key = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (step && (event.key === 'n' || event.key === 'p')) {
      setSpoken(step(event.key === 'n' ? 1 : -1) ?? '')
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
    const { px, py } = at(event)
    const text = tell(x.invert(px), y.invert(py), reach)
    setSaid(text === null ? null : { x: px, y: py, text })
  }

  return (
    <div>
      <div className={css.frame} ref={frame} style={{ height: top + height + UNDER }}>
        <svg
          className={css.axes}
          viewBox={`0 0 ${room} ${top + height + UNDER}`}
          height={top + height + UNDER}
          aria-hidden="true"
        >
          <g transform={`translate(${left} ${top})`}>
            <Axis
              side="left"
              edge={0}
              scale={middleOf}
              ticks={ticksOf(down, box.y0, box.y1, (about) => y.ticks(about))
                .filter((at) => middleOf(at) >= 0 && middleOf(at) <= height)
                .map((at) => ({ at, words: down.name(at) }))}
              name={{ words: down.title, x: -left, y: height + 16 }}
            />
            <Axis
              side="bottom"
              edge={height}
              scale={x}
              ticks={ticks.map((at) => ({ at, words: x.tickFormat(ticks.length)(at) }))}
              marks
            />
            {marks
              .filter((mark) => mark.to_s >= box.t0 && mark.from_s <= box.t1)
              .map((mark) => {
                const from = Math.max(0, x(mark.from_s))
                return (
                  <rect
                    key={mark.from_s}
                    className={mark.late ? css.late : css.phase}
                    x={from}
                    y={-6}
                    width={Math.max(2, Math.min(width, x(mark.to_s)) - from)}
                    height={4}
                  />
                )
              })}
          </g>
          {props.above && <g transform={`translate(${left} ${TOP})`}>{props.above(x, width)}</g>}
          {beside > 0 && (
            <g transform={`translate(${left + width + 4} ${top})`}>{props.beside?.(y, height)}</g>
          )}
          <text x={left + width} y={top + height + 16} textAnchor="end" className={css.unit}>
            s
          </text>
        </svg>
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
          onPointerLeave={() => setSaid(null)}
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
          {said && !drag.brush && (
            <p
              className={css.tip}
              style={{
                left: said.x > width / 2 ? undefined : said.x + 14,
                right: said.x > width / 2 ? width - said.x + 14 : undefined,
                top: Math.min(said.y + 12, height - 20),
              }}
            >
              {said.text}
            </p>
          )}
        </section>
      </div>
      <p className={helps ? `${css.help} screen` : 'vh'} id={help}>
        Draw a rectangle to select; shift and drag moves. With the chart chosen: arrows move, + and − zoom in
        time, with shift in {down.many}, 0 shows all, s selects what is in view, z zooms to the selection
        {step ? ', n and p go from call to call, Enter keeps one' : ''}; the wheel zooms, too.
      </p>
      <p className={css.spoken} aria-live="polite">
        {spoken}
      </p>
    </div>
  )
}

type Scale = { (value: number): number; invert: (pixel: number) => number }

/** Where a box stands in the window, cut at its edges. */
function placed(of: Box, x: Scale, y: Scale, width: number, height: number) {
  const left = Math.max(-2, x(of.t0))
  const top = Math.max(-2, y(of.y0))
  return {
    left,
    top,
    width: Math.max(0, Math.min(width + 2, x(of.t1)) - left),
    height: Math.max(0, Math.min(height + 2, y(of.y1)) - top),
  }
}

/** A rectangle drawn, or the plane moved: with shift, the middle button or a finger. */
function useDrag({
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
