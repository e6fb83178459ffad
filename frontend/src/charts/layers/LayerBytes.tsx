import { max } from 'd3-array'
import { format, plural } from '../../format'
import { grown } from '../frame/growth'
import css from '../frame/marks.module.css'
import { fits, textWidth } from '../frame/text'
import { NotRecorded } from './NotRecorded'
import { bytesOf, FIRST_LINE, insideOf, type Layer, type Part, SECOND_LINE } from './stack'

const saidOf = ({ partial }: Layer, bytes: number): string =>
  `${partial ? 'at least ' : ''}${format(bytes, 'B')}`

export const LayerBytes: Part = ({ layer, stack, width, hatch, mark }) => {
  const all = bytesOf(layer)
  const most = max(stack.layers, bytesOf) || 1
  const calls = layer.calls === null ? 'calls: not recorded' : plural(layer.calls, 'call')
  const wide = grown(stack.growth)
  const more = layer.layer === 'POSIX' ? wide : { written: 0, read: 0 }
  if (all === null) return <NotRecorded width={width} hatch={hatch('missing')} under={calls} />
  const text = saidOf(layer, all)
  // One scale for all layers: room for a number that its bar cannot hold beside the widest.
  const besideBar = Math.max(...stack.layers.map((one) => textWidth(saidOf(one, bytesOf(one) ?? 0), 12)))
  const held = (one: Layer, scale: number) => {
    const unasked = one.layer === 'POSIX' ? wide : { written: 0, read: 0 }
    const [write, readIn] = [one.bytes_written ?? 0, one.bytes_read ?? 0]
    const first = write * scale > 8 ? write - unasked.written : readIn - unasked.read
    return fits(saidOf(one, write + readIn), first * scale - 14, 12)
  }
  const runsOut = (one: Layer, scale: number) =>
    !held(one, scale) &&
    (bytesOf(one) ?? 0) * scale + 8 + textWidth(saidOf(one, bytesOf(one) ?? 0), 12) > width
  const whole = (width - 4) / most
  const k = stack.layers.some((one) => runsOut(one, whole)) ? (width - besideBar - 12) / most : whole
  const written = (layer.bytes_written ?? 0) * k
  const readTo = (layer.bytes_read ?? 0) * k
  const inside = held(layer, k)
  const unasked = more.written + more.read > 0 ? `${format(more.written + more.read, 'B')} not asked for` : ''
  const both = [calls, unasked].filter(Boolean).join(', ')
  const under = fits(both, width) ? both : unasked || calls
  const first = written > 8 ? 'write' : 'read'
  return (
    <>
      {written > 0 && (
        <rect
          {...mark({ kind: 'direction', id: 'write' }, css.write)}
          x={0}
          y={8}
          width={Math.max(1.5, written)}
          height={20}
        >
          <title>{`${format(layer.bytes_written ?? 0, 'B')} written`}</title>
        </rect>
      )}
      {readTo > 0 && (
        <rect
          {...mark({ kind: 'direction', id: 'read' }, css.read)}
          x={written > 0 ? written + 1 : 0}
          y={8}
          width={Math.max(1.5, readTo - 1)}
          height={20}
        >
          <title>{`${format(layer.bytes_read ?? 0, 'B')} read`}</title>
        </rect>
      )}
      {more.written > 0 && (
        <rect
          x={written - more.written * k}
          y={8}
          width={more.written * k}
          height={20}
          style={{ fill: hatch('grown') }}
        >
          <title>{`${format(more.written, 'B')} more than MPI-IO was asked to write`}</title>
        </rect>
      )}
      {more.read > 0 && (
        <rect
          x={written + readTo - more.read * k}
          y={8}
          width={more.read * k}
          height={20}
          style={{ fill: hatch('grown') }}
        >
          <title>{`${format(more.read, 'B')} read that no call asked for: read-modify-write`}</title>
        </rect>
      )}
      <text
        {...(inside ? mark({ kind: 'direction', id: first }, insideOf(first)) : { className: css.strong })}
        x={inside ? 8 : Math.max(2, written + readTo) + 8}
        y={FIRST_LINE}
      >
        {text}
      </text>
      <text y={SECOND_LINE}>{under}</text>
    </>
  )
}
