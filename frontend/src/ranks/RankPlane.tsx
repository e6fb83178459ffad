import { mean as average, max } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from 'react'
import { Axis } from '../charts/frame/Axis'
import { byteTicks } from '../charts/frame/byteTicks'
import { rankTicks } from '../charts/frame/rankTicks'
import { secondTicks } from '../charts/frame/secondTicks'
import { useWidth } from '../charts/frame/useWidth'
import { format } from '../format'
import { css as paint, resolved } from '../timeline/palette'
import { sliderStep } from '../ui/sliderStep'
import { useTheme } from '../ui/theme'
import { bytesOf, columnOf, type Pixel, pixelsOf, type RankLayer } from './columns'
import css from './Ranks.module.css'

const TALL = 240
const LEFT = 64
const TOP = 8
const PAINTS = ['var(--write)', 'var(--read)', 'var(--text-3)'] as const

/** Every rank of a layer as a column of pixels, on canvas; the arrow keys go from rank to rank. */
export function RankPlane({
  layer,
  values,
  time,
  sorted,
  node,
}: {
  layer: RankLayer
  values: Float64Array
  time: boolean
  sorted: boolean
  node: (rank: number) => string | null
}) {
  const [plot, width] = useWidth<HTMLDivElement>()
  const canvas = useRef<HTMLCanvasElement>(null)
  const [at, setAt] = useState<number | null>(null)
  const theme = useTheme()
  const column = useMemo(() => columnOf(values, sorted), [values, sorted])
  const room = Math.max(1, width - LEFT)
  const pixels = useMemo(() => pixelsOf(column, room), [column, room])
  const n = values.length
  const peak = useMemo(() => max(values) || 1, [values])
  const mean = useMemo(() => average(values) ?? 0, [values])
  const scale = useMemo(() => {
    const nice = scaleLinear([0, peak], [0, 1]).nice(4)
    return time ? { top: nice.domain()[1] ?? peak, ticks: secondTicks(nice, 4) } : byteTicks(peak, 4)
  }, [peak, time])
  const y = useMemo(() => scaleLinear([0, scale.top], [TALL, TOP]), [scale])
  const unit = time ? 's' : 'B'

  // biome-ignore lint/correctness/useExhaustiveDependencies: tokens look different in each theme
  useEffect(() => {
    if (canvas.current) draw(canvas.current, pixels, layer, time, room, y)
  }, [pixels, room, theme, time, layer, y])

  const rank = at === null ? null : (column.ranks[at] ?? null)
  const words = (of: number) => {
    const where = node(of)
    const amount = time
      ? `${format(values[of] ?? 0, 's')} in calls`
      : `${format(layer.bytes_written[of] ?? 0, 'B')} written, ${format(layer.bytes_read[of] ?? 0, 'B')} read`
    return `rank ${of}${where ? ` on ${where}` : ''}: ${amount}`
  }
  const point = (event: PointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    const i = Math.floor(((event.clientX - box.left) / box.width) * pixels.length)
    const pixel = pixels[Math.max(0, Math.min(pixels.length - 1, i))]
    setAt(pixel ? (sorted ? column.ranks.indexOf(pixel.rank) : pixel.rank) : null)
  }
  const move = (event: KeyboardEvent) => {
    const step = sliderStep(event.key, Math.max(1, Math.round(n / 20)))
    if (step === null) return
    event.preventDefault()
    setAt((old) => Math.max(0, Math.min(n - 1, (old ?? (step > 0 ? -1 : n)) + step)))
  }
  const lineX = at === null || rank === null ? null : ((at + 0.5) / n) * room
  return (
    <div>
      <p className={css.readout}>
        {rank === null ? 'Point at a rank, or move by the arrow keys.' : words(rank)}
      </p>
      <div className={css.plot} ref={plot}>
        <svg className={css.axes} viewBox={`0 0 ${width} ${TALL + 22}`} height={TALL + 22} aria-hidden="true">
          <Axis side="left" edge={LEFT} scale={y} ticks={scale.ticks} grid={[LEFT, width]} />
          <Axis
            side="bottom"
            edge={TALL + 2}
            scale={(place) => LEFT + ((place + 0.5) / n) * room}
            ticks={rankTicks(n, 5)}
            room={[LEFT, width]}
            name={{ words: sorted ? 'place' : 'rank', x: 0, y: TALL + 16 }}
          />
        </svg>
        <div
          className={css.canvas}
          role="slider"
          tabIndex={0}
          aria-label={time ? 'Seconds in calls by rank' : 'Bytes by rank'}
          aria-valuemin={0}
          aria-valuemax={Math.max(0, n - 1)}
          aria-valuenow={rank === null ? 0 : (at ?? 0)}
          aria-valuetext={rank === null ? 'no rank chosen' : words(rank)}
          onPointerMove={point}
          onPointerLeave={() => setAt(null)}
          onKeyDown={move}
        >
          <canvas ref={canvas} />
        </div>
        <svg className={css.over} viewBox={`0 0 ${width} ${TALL}`} height={TALL} aria-hidden="true">
          <line className={css.mean} x1={LEFT} x2={width} y1={y(mean)} y2={y(mean)} />
          <text className={css.meanWords} x={width - 4} y={y(mean) - 5} textAnchor="end">
            mean {format(mean, unit)}
          </text>
          {lineX !== null && (
            <line className={css.cursor} x1={LEFT + lineX} x2={LEFT + lineX} y1={TOP} y2={TALL} />
          )}
        </svg>
      </div>
    </div>
  )
}

/** Each pixel's rank as a bar: its seconds, or its bytes, the written ones below those that were read. */
function draw(
  canvas: HTMLCanvasElement,
  pixels: readonly Pixel[],
  layer: RankLayer,
  time: boolean,
  room: number,
  y: (value: number) => number,
) {
  const context = canvas.getContext('2d')
  if (!canvas.parentElement || !context) return
  const [write = '', read = '', text = ''] = resolved(canvas.parentElement, PAINTS).map((rgb) => paint(rgb))
  const sharp = globalThis.devicePixelRatio || 1
  canvas.width = room * sharp
  canvas.height = TALL * sharp
  context.scale(sharp, sharp)
  context.clearRect(0, 0, room, TALL)
  const each = room / Math.max(1, pixels.length)
  const wide = Math.max(1, each > 5 ? each - 1 : each)
  const all = bytesOf(layer)
  pixels.forEach(({ rank, most }, i) => {
    const share = time || !all[rank] ? 1 : (layer.bytes_written[rank] ?? 0) / (all[rank] ?? 1)
    const top = most > 0 ? Math.min(TALL - 2, y(most)) : TALL
    const middle = TALL - (TALL - top) * share
    context.fillStyle = time ? text : write
    context.fillRect(i * each, middle, wide, TALL - middle)
    if (middle > top) {
      context.fillStyle = read
      context.fillRect(i * each, top, wide, middle - top)
    }
  })
}
