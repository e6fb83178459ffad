import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { FileRows } from '../../files/FileRows'
import { filesQuery } from '../../files/queries'
import { askedOf } from '../../files/search'
import { flat } from '../../files/segments'
import { manySmallFiles } from '../../fixtures/darshan'
import { traced } from '../../fixtures/traced'
import { plural } from '../../format'
import type { Box } from '../../timeline/box'
import { namesOf } from '../../timeline/CallsLane'
import { Legend } from '../../timeline/Legend'
import { PAINTS, resolved } from '../../timeline/palette'
import { Plane } from '../../timeline/plane/Plane'
import { rankRows } from '../../timeline/rows'
import { byCode, drawCalls } from '../../timeline/tiles'
import section from '../../ui/Section.module.css'
import { useTheme } from '../../ui/theme'

/** What the views of a case show that fetch it from the server. */
export default function Views() {
  return (
    <>
      <AllFiles />
      <Calls />
    </>
  )
}

function AllFiles() {
  const { files } = manySmallFiles
  const asked = askedOf({}, null)
  const [client] = useState(() => {
    const made = new QueryClient()
    const sum = { value: null, files: 0 }
    made.setQueryData(filesQuery('fixture', asked, null, 0).queryKey, {
      total: files.length,
      matched: files.length,
      offset: 0,
      sums: {
        bytes_read: sum,
        bytes_written: sum,
        independent_calls: sum,
        collective_calls: sum,
        time_s: sum,
      },
      patterns: [],
      layers: [],
      files,
    })
    return made
  })
  return (
    <section aria-label="All files">
      <div className={section.row}>
        <h2>All files</h2>
        <p>{plural(files.length, 'file')}</p>
      </div>
      <QueryClientProvider client={client}>
        <FileRows
          caseId="fixture"
          asked={asked}
          lines={flat(files.length)}
          onSort={() => {}}
          onOpen={() => {}}
          onFold={() => {}}
          onEnd={() => {}}
        />
      </QueryClientProvider>
    </section>
  )
}

const ORDER = byCode(traced.calls.write, traced.calls.count)

function Calls() {
  const theme = useTheme()
  const [box, setBox] = useState<Box>(traced.box)
  const [selected, setSelected] = useState<Box | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tokens are other ones in another theme
  const colours = useMemo(() => resolved(document.body, PAINTS.operation), [theme])
  const paint = useCallback(
    (context: CanvasRenderingContext2D, at: Box, room: { width: number; height: number }) =>
      drawCalls(context, at, room, {
        tile: traced,
        colours,
        code: traced.calls.write,
        order: ORDER,
        down: 'rank',
      }),
    [colours],
  )
  return (
    <section aria-label="Calls by rank">
      <div className={section.row}>
        <h2>Calls by rank</h2>
        <p>invented: the last rank is late in the second phase</p>
      </div>
      <Plane
        label="Calls by rank and time"
        box={box}
        full={traced.box}
        height={200}
        onMove={setBox}
        onSize={() => {}}
        paint={paint}
        describe={() => null}
        selection={selected}
        onSelect={setSelected}
        down={rankRows(traced.box.y1)}
        marks={[
          { from_s: 0.4, to_s: 3.7, late: false },
          { from_s: 5, to_s: 9.6, late: true },
        ]}
      />
      <Legend colour="operation" names={namesOf('operation', undefined)} operation={null} phases />
    </section>
  )
}
