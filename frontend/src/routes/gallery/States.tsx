import { useState } from 'react'
import type { CaseDocument } from '../../analysis/caseDocument'
import type { CaseView } from '../../api/types'
import type { Progress } from '../../api/upload'
import { OpinionText } from '../../evidence/SecondOpinion'
import { EvidenceList } from '../../findings/EvidenceList'
import { FileTable } from '../../findings/FileTable'
import { ClearGroup, NotApplicableGroup, UnknownGroup } from '../../findings/FindingGroups'
import { CauseRows } from '../../findings/FindingRow'
import { CLEAR, keyOf, NOT_APPLICABLE, sortFindings, UNKNOWN } from '../../findings/keys'
import { independentSmall, recordOverflow } from '../../fixtures/darshan'
import { everyKind } from '../../fixtures/everyKind'
import { FixtureCase } from '../../fixtures/FixtureCase'
import { oneAggregatorStats } from '../../fixtures/mpich'
import { allAgree, notInstalled, someDiffer } from '../../fixtures/opinions'
import Sources from '../../sources/Sources'
import { Notice, Skeleton } from '../../ui/Notice'
import section from '../../ui/Section.module.css'
import { UploadProgress } from '../../upload/Upload'
import { SourceStates } from '../SourceStates'
import css from './Gallery.module.css'

const STEPS: readonly Progress[] = [
  { step: 'waiting' },
  { step: 'hashing', share: 0.2 },
  { step: 'sending', share: 0.42 },
  { step: 'sent', sha256: '0', known: false },
  { step: 'sent', sha256: '0', known: true },
  {
    step: 'failed',
    what: 'The file is empty. It has no bytes to read.',
    next: 'Choose the file again.',
    again: false,
  },
]

/** Findings, evidence and uploads in every state, and what waits or fails. */
export default function States() {
  const causes = sortFindings(independentSmall.findings).causes
  return (
    <>
      <section aria-label="Findings">
        <div className={section.row}>
          <h2>Findings</h2>
        </div>
        <FixtureCase
          document={independentSmall}
          open={[...causes.map(({ finding }) => keyOf(finding)), CLEAR, NOT_APPLICABLE]}
        >
          {(document) => {
            const sorted = sortFindings(document.findings)
            return (
              <>
                {sorted.causes.map((cause) => (
                  <CauseRows key={keyOf(cause.finding)} cause={cause} />
                ))}
                <ClearGroup findings={sorted.clear} />
                <NotApplicableGroup findings={sorted.notApplicable} />
              </>
            )
          }}
        </FixtureCase>
        <FixtureCase document={oneAggregatorStats} open={[UNKNOWN]}>
          {(document) => <UnknownGroup findings={sortFindings(document.findings).unknown} />}
        </FixtureCase>
      </section>
      <section aria-label="Second opinions">
        <div className={section.row}>
          <h2>Second opinions</h2>
        </div>
        {[allAgree, someDiffer, notInstalled].map((opinion) => (
          <OpinionText key={JSON.stringify(opinion)} opinion={opinion} />
        ))}
      </section>
      <section aria-label="Evidence">
        <div className={section.row}>
          <h2>Evidence, read in part</h2>
        </div>
        <FixtureCase document={recordOverflow}>
          <EvidenceList view={viewOf('ready')} onAdd={() => {}} />
        </FixtureCase>
      </section>
      <FixtureCase document={everyKind}>{(document) => <GallerySources document={document} />}</FixtureCase>
      <FixtureCase document={recordOverflow}>{(document) => <FileTable document={document} />}</FixtureCase>
      <section aria-label="Uploads">
        <div className={section.row}>
          <h2>Uploads</h2>
        </div>
        <UploadProgress
          items={STEPS.map((progress, id) => ({
            id,
            name: `run-${id}.darshan`,
            size: 9224 * (id + 1),
            progress,
          }))}
          phase="asking"
          refused={false}
          onAgain={() => {}}
          onMake={() => {}}
          onStartOver={() => {}}
        />
      </section>
      <section className={css.stack} aria-label="Waiting and failing">
        <h2>Waiting and failing</h2>
        <SourceStates view={viewOf('reading')} onAdd={() => {}} />
        <SourceStates view={viewOf('failed')} onAdd={() => {}} />
        <Notice failed title="The rules could not be fetched">
          The server does not answer. Check that iotriage serve is running there, then try again.
        </Notice>
        <Skeleton height={80} />
      </section>
    </>
  )
}

/** Everything that texts can say, all of it open. */
function GallerySources({ document }: { document: CaseDocument }) {
  const [opened, setOpened] = useState<string | undefined>(
    'agreement,complaints,hints,environment,placement,stats,craypat,layouts,osts,job,benchmarks,darshan-totals',
  )
  return <Sources document={document} opened={opened} onOpened={setOpened} />
}

function viewOf(status: CaseView['status']): CaseView {
  const source = { sha256: '0'.repeat(64), size_bytes: 81_920, reader: null, gone_at: null }
  const failed = {
    status: 'failed' as const,
    message: 'The log ends within its name records: 81,920 of 120,004 bytes are there.',
    next_step: 'Copy it again after the job has ended, and compare the sizes.',
  }
  const fine = { message: null, next_step: null }
  return {
    id: 'fixture',
    created_at: '2026-11-20T09:00:00Z',
    status,
    title: 'two sources',
    site: null,
    sample: false,
    message: null,
    stale: null,
    joined: [],
    document: null,
    sources: [
      {
        ...source,
        index: 0,
        name: 'run.darshan',
        ...(status === 'failed' ? failed : { ...fine, status: 'reading' as const }),
      },
      {
        ...source,
        index: 1,
        sha256: '1'.repeat(64),
        name: 'slurm-4021377.out',
        ...(status === 'failed'
          ? {
              status: 'failed' as const,
              message: 'No reader knows this file.',
              next_step: 'Give a Darshan log, or text with MPICH_MPIIO_STATS.',
            }
          : { ...fine, status: 'waiting' as const }),
      },
    ],
  }
}
