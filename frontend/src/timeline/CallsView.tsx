import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { EXPORTED_CASE } from '../api/embedded'
import { useWidth } from '../charts/frame/useWidth'
import { plural } from '../format'
import { Skeleton } from '../ui/Notice'
import { Buttons } from './Buttons'
import type { Box, Least } from './box'
import { CallsLane, namesOf } from './CallsLane'
import { Legend } from './Legend'
import { busyByTime, MiniMap } from './MiniMap'
import { sidesOf } from './plane/Plane'
import type { CallFilter, CallLayer, Colour, LogPlace, TraceSummary } from './requests'
import { heightOf, type Rows } from './rows'
import { type PinnedCall, pinOf } from './selected/pinned'
import type { Tile } from './tiles'
import { useBox } from './usePart'

/** Of no use before something was selected or pinned. */
const SelectedCallsPanel = lazy(() =>
  import('./selected/SelectedCallsPanel').then((module) => ({ default: module.SelectedCallsPanel })),
)
const Pins = lazy(() => import('./selected/Pins').then((module) => ({ default: module.Pins })))

interface CallsViewProps {
  readonly place: LogPlace
  /** From the highest to the lowest: a lane each. */
  readonly layers: readonly CallLayer[]
  readonly chosen: Omit<CallFilter, 'layer'>
  readonly colour: Colour
  readonly nprocs: number
  readonly extent_s: number
  readonly rows: Rows
  readonly summary: TraceSummary | undefined
  readonly fromAddress: Box | null
  readonly onRest: (box: Box, full: Box) => void
  readonly selection: Box | null
  readonly onSelect: (box: Box | null) => void
  readonly pins: readonly PinnedCall[]
  readonly onPins: (pins: readonly PinnedCall[]) => void
  readonly children: React.ReactNode
}

const FINEST_S = 2e-5
const MOST_PINS = 4

/** The calls of a trace over time: the layers stand one below the other and move together. */
export function CallsView(props: CallsViewProps) {
  const { layers, chosen, colour, nprocs, extent_s, rows, summary, fromAddress, onRest } = props
  const { selection, onSelect, pins, onPins } = props
  const [host, room] = useWidth<HTMLDivElement>(960)
  const { low, high, least: fewest } = rows
  const full = useMemo<Box>(() => ({ t0: 0, t1: extent_s, y0: low, y1: high }), [extent_s, low, high])
  const least = useMemo<Least>(() => ({ t: FINEST_S, y: fewest }), [fewest])
  const { box, rested, move } = useBox(full, least, fromAddress, (at) => onRest(at, full))
  const [wholes, setWholes] = useState<Partial<Record<CallLayer, Tile>>>({})
  const keepWhole = useCallback(
    (layer: CallLayer, tile: Tile) => setWholes((old) => ({ ...old, [layer]: tile })),
    [],
  )
  const busy = useMemo(() => busyByTime(layers.flatMap((layer) => wholes[layer] ?? [])), [layers, wholes])
  const names = useMemo(() => namesOf(colour, summary), [colour, summary])
  const phases =
    rows.down === 'rank' &&
    (summary?.layers.some((l) => layers.includes(l.layer) && l.phases_total > 0) ?? false)
  const sides = sidesOf(room, false)
  return (
    <div ref={host}>
      <Buttons box={box} full={full} onMove={move} onSelect={onSelect}>
        {props.children}
      </Buttons>
      <MiniMap busy={busy} box={box} full={full} left={sides.left} width={sides.width} onMove={move} />
      {layers.map((layer, i) => (
        <CallsLane
          key={layer}
          place={props.place}
          asked={{ ...chosen, layer, colour }}
          nprocs={nprocs}
          rows={rows}
          summary={summary}
          full={full}
          box={box}
          rested={rested}
          onMove={move}
          selection={selection}
          onSelect={onSelect}
          onPin={(calls, at) => onPins([...pins, pinOf(calls, at)].filter(firstOfEach).slice(-MOST_PINS))}
          onWhole={(tile) => keepWhole(layer, tile)}
          height={heightOf(rows, nprocs, layers.length)}
          named={layers.length > 1}
          helps={i === layers.length - 1}
        />
      ))}
      <Legend colour={colour} names={names} operation={chosen.operation} phases={phases} />
      <p className="small muted">{ofOsts(colour, chosen.ost)}</p>
      <Suspense fallback={<Skeleton height={240} />}>
        {selection && (
          <SelectedCallsPanel
            place={props.place}
            layers={layers}
            chosen={chosen}
            rows={rows}
            nprocs={nprocs}
            summary={summary}
            selection={selection}
            onCloser={() => move(selection)}
            onClear={() => onSelect(null)}
            onPin={(pin) => onPins([...pins, pin].filter(firstOfEach).slice(-MOST_PINS))}
          />
        )}
        {pins.length > 0 && (
          <Pins
            place={props.place}
            pins={pins}
            summary={summary}
            title={`${plural(pins.length, 'call')} side by side`}
            onDrop={(pin) => onPins(pins.filter((one) => one !== pin))}
            onLook={({ from_s, to_s }) => {
              const pad = Math.max(2 * (to_s - from_s), 1e-4)
              move({ ...box, t0: from_s - pad, t1: to_s + pad })
            }}
          />
        )}
      </Suspense>
    </div>
  )
}

const firstOfEach = (pin: PinnedCall, i: number, all: readonly PinnedCall[]) =>
  all.findIndex((one) => one.layer === pin.layer && one.rank === pin.rank && one.start_s === pin.start_s) ===
  i

/** What is to be known of a choice of OSTs. */
function ofOsts(colour: Colour, ost: number | null): string {
  const on = EXPORTED_CASE === null ? 'with bytes on' : 'that begin on'
  const only = ost === null ? '' : `Only calls ${on} OST ${ost} are shown, whole.`
  const first = colour === 'ost' ? 'A call on several OSTs has the colour of the first.' : ''
  return [only, first].filter(Boolean).join(' ')
}
