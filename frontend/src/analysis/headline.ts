/** The headline: what is wrong, with its number, what to do, and which finding says so. The same as
 * `iotriage.analysis.decision.headline`. */
import type { Headline, Unexplained } from '../api/types'
import { bounded, inPlainWords } from '../format'
import { inWords } from './advice'
import { shortestRanked, totalOf } from './allotment'
import type { CaseDocument, Finding } from './caseDocument'
import type { Answer, InForce } from './condition'
import { MOST_OF_IT, SHORT_IO, TIMES_A_NOTE } from './fixedNumbers'
import { allIo, figureOf, ioTimeBound, NO_TIME, postedSeconds, TIME_THE_WAITS } from './headlineFigure'
import type { Metrics } from './metrics'
import { endangersData } from './order'
import { boundsOfRate } from './slowest'

const NOTHING_WRONG = "Nothing wrong was found with this job's I/O."
const AS_ONE_OST = 'no more than one OST gives; no source says how the file is striped.'
const NOT_SHOWN = 'and these sources do not show why.'
const NOTHING_SURE = 'Nothing wrong was found in what could be read; some questions stay open.'
const NOTHING_WRONG_UNTIL_THEN = 'Nothing wrong was found with its I/O until then.'
const NOTHING_SURE_UNTIL_THEN =
  'Nothing wrong was found in what could be read until then; some questions stay open.'
const ENDED_AND_NOTHING_WRONG =
  'The job, or a step of it, did not come to its end; nothing wrong was found with its I/O until then.'
const ENDED_AND_NOTHING_SURE =
  'The job, or a step of it, did not come to its end; nothing wrong was found in what could be read, and some questions stay open.'
const NONE_FOUND = ', but none of the known causes was found.'
const LITTLE = ': little, and none of the known causes was found.'
const MAY_BE_ALL = ', which may be all that the file system gives: '
const ALL_IT_GIVES = `${MAY_BE_ALL}none of the known causes was found.`
const IN_METADATA = ', most of it in opening, closing and asking about files'
/** Where lines belong that have a run leave evidence behind, before them. */
export const IN_JOB_SCRIPT = 'In the job script, before the program starts:'
const PARTIAL_EVIDENCE = 'partial-evidence'
/** Rules that suggest another way to write the same file, without naming anything wrong with the present one. */
const ANOTHER_WAY: ReadonlySet<string> = new Set(['collective-on-large-contiguous', 'subfile'])
/** The headline, from `findings` in reading order. The first of these speaks: a finding about endangered data,
 * whatever the I/O took; the reason why the job was ended early; the first triggered finding. The finding about
 * incomplete evidence comes last, and is combined with what can be said about the rest. */
export function headlineOf(
  findings: readonly Finding[],
  document: CaseDocument,
  thresholds: InForce,
  significant: Answer,
  smallShare: boolean,
): Headline {
  const { nothing_read, end } = document.headlines
  if (nothing_read) return nothing_read
  const aboutIo = headlineOfIo(findings, document, thresholds, significant, smallShare)
  if (!end) return aboutIo
  const { sentence, rule } = aboutIo
  const leading = findings.filter((f) => f.verdict === 'triggered' && f.rule === rule)
  if (leading.some(endangersData)) return { ...aboutIo, sentence: `${sentence} ${end.sentence}` }
  const remedy = end.urgent || rule === null ? end.remedy : null
  const action = [remedy, aboutIo.action].filter(Boolean).join(' ')
  return { ...aboutIo, sentence: `${end.sentence} ${sentence}`, action: action || null }
}

function headlineOfIo(
  findings: readonly Finding[],
  document: CaseDocument,
  thresholds: InForce,
  significant: Answer,
  smallShare: boolean,
): Headline {
  const { no_io } = document.headlines
  const triggered = findings.filter((f) => f.verdict === 'triggered' && f.headline !== null)
  const partial = triggered.find((f) => f.rule === PARTIAL_EVIDENCE)
  // What shows nothing and is not whole shows nothing.
  if (no_io && !partial) return no_io
  const danger = triggered.find(endangersData)
  const most = danger ? null : mostlyUnexplained(triggered, document, thresholds, significant, smallShare)
  if (most) return partial ? withWhatIsMissing(most, of(partial), document.unexplained) : most
  const first = danger ?? triggered.find((f) => f.weighed || f.leads) ?? triggered.find((f) => f !== partial)
  if (first) {
    const said = of(first)
    const little = lostLittle(first, document, significant)
    const least = document.account?.partial ?? false
    const figure = little
      ? null
      : figureOf(first, findings, document, shortestRanked(thresholds), least, document.unexplained)
    // What is about the evidence says itself what is missing.
    const lacks = partial !== undefined && (first.weighed || first.leads)
    const sentence = lacks ? andSomethingIsMissing(said.sentence) : said.sentence
    return { ...said, sentence: sentence + little, figure }
  }
  const otherwise = nothingTriggered(findings, document, significant, smallShare)
  return partial ? withWhatIsMissing(otherwise, of(partial), document.unexplained) : otherwise
}

/** What is said where nothing above low was found, and nearly all time of I/O that matters is none of theirs, or
 * most of it where each cause takes little of the run; else null. */
function mostlyUnexplained(
  triggered: readonly Finding[],
  document: CaseDocument,
  thresholds: InForce,
  significant: Answer,
  smallShare: boolean,
): Headline | null {
  const first = triggered.find((f) => f.rule !== PARTIAL_EVIDENCE)
  // The cause of few seconds is a cause all the same.
  const small = triggered.every(
    (f) => !f.leads && (f.severity === 'info' || f.base_severity === 'info' || f.base_severity === 'low'),
  )
  const left = document.unexplained
  if (!first || significant !== true || smallShare) return null
  if (!left || left.experiment === null || left.share < MOST_OF_IT) return null
  if (!small) return besideACause(first, triggered, left, document, thresholds, significant, smallShare)
  // What claims no seconds is advice about all of them, and no cause of few, unless it asks for evidence alone, or has
  // another way to do it, which is the cause of none.
  const asks = first.takes_s === null && first.severity === 'info' && !first.weighed && !first.leads
  const noCause = asks || ANOTHER_WAY.has(first.rule)
  if (!noCause && (first.takes_s === null || left.seconds < TIMES_A_NOTE * first.takes_s)) return null
  const most = mostHasNoCause(left, document, significant, smallShare)
  const asked = of(first)
  if (!most || !asks || toDo(asked) === null) return most
  return { ...most, action: asked.action, lead: asked.lead, command: asked.command, investigates: false }
}

/** What is said where without its causes the run would be hardly shorter: that most is not explained, and the first of
 * them behind it. */
function besideACause(
  first: Finding,
  triggered: readonly Finding[],
  left: Unexplained,
  document: CaseDocument,
  thresholds: InForce,
  significant: Answer,
  smallShare: boolean,
): Headline | null {
  const shortest = shortestRanked(thresholds)
  const timed = first.takes_s !== null && first.takes_s >= Math.max(shortest, NO_TIME)
  const low = triggered.every((f) => f.severity === 'info' || f.severity === 'low')
  if (!timed || !low || first.leads) return null
  const most = mostHasNoCause(left, document, significant, smallShare)
  const known = figureOf(first, triggered, document, shortest, document.account?.partial ?? false, null)
  return most && { ...most, figure: `${first.headline ?? first.title} ${known}` }
}

/** Null where nothing says how much of the run the I/O is. */
function mostHasNoCause(
  left: Unexplained,
  document: CaseDocument,
  significant: Answer,
  smallShare: boolean,
): Headline | null {
  const takes = takenBy(document, significant)
  if (takes === null) return null
  const opening = left.kind === 'perhaps-fine' ? MAY_BE_ALL : ', and '
  const noneFound = `${opening}${inPlainWords(left.share, 'share')} of that time has no known cause.`
  return notExplained(takes, document, true, smallShare, noneFound)
}

const SAYING_NOTHING = {
  figure: null,
  action: null,
  lead: null,
  command: null,
  rule: null,
  investigates: false,
  gives_way: false,
} as const

function of(finding: Finding): Headline {
  const [advice] = finding.advice
  const holds = advice?.withheld === null
  return {
    ...SAYING_NOTHING,
    sentence: finding.headline ?? finding.title,
    action: (holds ? advice.text : advice && inWords(advice)) || null,
    lead: holds ? advice.lead : null,
    command: advice?.command ?? null,
    severity: finding.severity,
    rule: finding.rule,
  }
}

const clear = (sentence: string): Headline => ({ ...SAYING_NOTHING, sentence, severity: 'clear' })

/** What is said after a cause that is true, and costs this run next to nothing. */
function lostLittle(finding: Finding, document: CaseDocument, significant: Answer): string {
  const { metrics } = document
  if (finding.leads || !finding.weighed || significant !== false) return ''
  const time = number(metrics, 'job.io_time')
  const moved = number(metrics, 'io.bytes')
  // Of few bytes the library prints no rate, and so no seconds: they may be many.
  if (time === null && number(metrics, 'timers.weight') !== null) return ''
  if (time !== null && time < SHORT_IO) {
    return ` This run lost little by it: all its I/O took ${ioTimeBound(document)}${inPlainWords(time, 's')}.`
  }
  return moved === null ? '' : ` This run lost little by it: all its I/O was ${inPlainWords(moved, 'B')}.`
}

function nothingTriggered(
  findings: readonly Finding[],
  document: CaseDocument,
  significant: Answer,
  smallShare: boolean,
): Headline {
  const { metrics } = document
  const checked = couldLook(findings, metrics)
  const takes = takenBy(document, significant)
  if (takes !== null) return notExplained(takes, document, checked, smallShare)
  if (!checked) return document.headlines.not_enough
  const sure = !findings.some((f) => f.verdict === 'unknown') && !lacksTimesOfStorage(document)
  const figure = allIo(document)
  const { ended, end } = document.headlines
  // Of files that were open at its end there is nothing to find anything in.
  if (ended) {
    const [wrong, open] = end
      ? [NOTHING_WRONG_UNTIL_THEN, NOTHING_SURE_UNTIL_THEN]
      : [ENDED_AND_NOTHING_WRONG, ENDED_AND_NOTHING_SURE]
    return { ...clear(sure ? wrong : open), action: ended, severity: 'unknown', figure }
  }
  const said = { ...clear(sure ? NOTHING_WRONG : NOTHING_SURE), figure, gives_way: true }
  return postedSeconds(metrics) === null ? said : { ...said, action: TIME_THE_WAITS, severity: 'unknown' }
}

/** Whether some rule could look at the I/O. */
function couldLook(findings: readonly Finding[], metrics: Metrics): boolean {
  const counted = number(metrics, 'io.bytes') !== null
  // Bytes that are not all, and no time: a heatmap alone, of which every count is small.
  const judged = !(metrics['io.bytes']?.bound === 'lower' && number(metrics, 'job.io_time') === null)
  return counted && judged && findings.some((f) => f.verdict === 'clear' && f.weighed)
}

/** `checked` where some rule could look; `noneFound` is how the sentence then ends, where notes were found. */
function notExplained(
  takes: string,
  document: CaseDocument,
  checked: boolean,
  smallShare: boolean,
  noneFound: string | null = null,
): Headline {
  const { headlines, investigations, unexplained } = document
  const none = noneFound ?? (unexplained?.kind === 'perhaps-fine' ? ALL_IT_GIVES : NONE_FOUND)
  const said = smallShare ? LITTLE : none
  const unknown = checked ? `${takes}${said}` : `${takes}, ${NOT_SHOWN}`
  if (smallShare) return clear(unknown)
  const tells = unexplained?.experiment ?? null
  const { sentence, command } = investigations.otherwise
  const [otherwise, lines] = checked ? [sentence, command] : [headlines.to_add, headlines.added]
  return {
    ...SAYING_NOTHING,
    sentence: unexplained?.kind === 'as-one-ost' ? `${takes}, ${AS_ONE_OST}` : unknown,
    action: (hasRate(document) ? rates(document) : '') + (tells ?? otherwise),
    lead: checked || tells !== null ? null : IN_JOB_SCRIPT,
    command: unexplained && tells !== null ? unexplained.command : lines,
    severity: 'unknown',
    investigates: tells !== null,
  }
}

/** Whether metadata calls without a known cause take most of the I/O time, including time that is not split; not where
 * nobody knows how long reads or writes took. */
function isInMetadata(document: CaseDocument): boolean {
  if (lacksTimesOfStorage(document)) return false
  const { account, unexplained } = document
  const all = account ? totalOf(account.cells) : 0
  return all > 0 && (unexplained?.cells.metadata ?? 0) >= MOST_OF_IT * all
}

/** Whether a log does not say how long its reads or writes took: a text has the time of all calls, a log that of
 * each. */
function lacksTimesOfStorage({ account }: CaseDocument): boolean {
  if (account?.basis !== 'Darshan') return false
  return account.unknown.some(({ cell }) => cell === 'reads' || cell === 'writes')
}

/** What passes in calls that move no bytes has none; closes may send what was written. */
function hasRate(document: CaseDocument): boolean {
  return !isInMetadata(document) || document.unexplained?.kind === 'at-close'
}

/** A phrase that says what share of the run the I/O takes, or how long it took where the run time is not known; null
 * where it is not known to matter. */
function takenBy(document: CaseDocument, significant: Answer): string | null {
  const { metrics, unexplained } = document
  const rate = number(metrics, 'io.bandwidth')
  const [before, behind] = boundsOfRate(document)
  const atRate = rate === null ? '' : `, at ${inPlainWords(rate, 'B/s')}${before && ' or more'}${behind}`
  const at = (hasRate(document) ? atRate : '') + (isInMetadata(document) ? IN_METADATA : '')
  const bound = ioTimeBound(document)
  const least = metrics['job.io_time_fraction']?.bound === 'lower' ? 'at least ' : ''
  const ofShare = bound === 'at most ' ? bound : least
  const part = number(metrics, 'job.io_time_fraction')
  if (significant === true && part !== null)
    return `I/O takes ${bounded(ofShare, inPlainWords(part, 'share'))} of the run${at}`
  const time = number(metrics, 'job.io_time')
  if (time === null || (unexplained?.experiment ?? null) === null) return null
  return `I/O takes ${bound}${inPlainWords(time, 's')}${at}`
}

/** What an unexplained rate is for each rank, node and OST that is known. */
function rates(document: CaseDocument): string {
  const { investigations, metrics } = document
  const every = { rank: number(metrics, 'job.nprocs'), node: number(metrics, 'job.nnodes'), OST: null }
  const known = investigations.rates.map(
    (rate) => `${inPlainWords(rate.bytes_per_s, 'B/s')} for each ${whom(rate, every[rate.of])}`,
  )
  return known.length > 0 ? `That is ${rateSaid(known.join(', '), document)}. ` : ''
}

function rateSaid(rate: string, document: CaseDocument): string {
  const [before, behind] = boundsOfRate(document)
  return `${before}${rate}${behind}`
}

/** The rank or the node, or those of `every` that move the bytes. */
function whom({ of, count }: Unexplained['rates'][number], every: number | null): string {
  if (every === null || count >= every) return of
  return `${of} that moves the bytes (${inPlainWords(Math.round(count), '1')} of ${inPlainWords(every, '1')})`
}

/** Incomplete evidence speaks for itself where nothing else is worth saying; else it stands beside it, and what to do
 * about it comes behind a look at the file, which needs no other run. */
function withWhatIsMissing(otherwise: Headline, partial: Headline, left: Unexplained | null): Headline {
  if (otherwise.gives_way) return partial
  const looks = otherwise.investigates && (left?.kind === 'look' || left?.kind === 'as-one-ost')
  return {
    ...(looks ? otherwise : partial),
    sentence: andSomethingIsMissing(otherwise.sentence),
  }
}

const andSomethingIsMissing = (sentence: string) =>
  `${sentence.replace(/\.$/, '')}; part of the evidence is missing.`

/** Whether a Darshan log could only be read in part. */
export const readInPart = ({ sources }: Pick<CaseDocument, 'sources'>): boolean =>
  sources.some(({ kind, status }) => kind === 'darshan_log' && status === 'partial')

/** Whether a rule could look at the job's I/O, or there was none: a layout, a script, a benchmark or a time alone show none of it. */
export const couldJudge = ({ headlines, findings, metrics }: CaseDocument): boolean =>
  headlines.no_io !== null || couldLook(findings, metrics)

/** What the views say about a job where `sawNothing`. */
export const NOTHING_USED = 'No file is opened, read or written in the evidence.'

/** Whether evidence that was read whole has no I/O at all, so that there is nothing to draw and no other evidence to ask for. */
export const sawNothing = ({ headlines, sources, files_total, groups }: CaseDocument): boolean =>
  headlines.no_io !== null &&
  files_total === 0 &&
  groups.length === 0 &&
  sources.every(({ status }) => status === 'complete')

function number(metrics: Metrics, id: string): number | null {
  const value = metrics[id]?.value
  return typeof value === 'number' ? value : null
}

/** What to do, as shown above the command. */
export const toDo = ({ action, lead }: Headline): string | null =>
  [action, lead].filter(Boolean).join(' ') || null

/** The headline and its number in one line. */
export const saidOf = ({ sentence, figure }: Headline): string =>
  figure ? `${sentence} ${figure}` : sentence
