import type { components, operations } from './schema'

type Schemas = components['schemas']

/** As the server keeps it; the page shows it decided: `CaseDocument` of analysis/caseDocument.ts. */
export type StoredDocument = Schemas['CaseDocument']
export type StoredFinding = Schemas['Finding']
export type RuledOut = Schemas['RuledOut']
export type StoredMetric = Schemas['KnownMetric'] | Schemas['AbsentMetric']
/** Why records lack counters is told by its reason; what the server derives from that, it has derived. */
export type Metric = Omit<Schemas['Metric'], 'uncounted'>
export type DocumentRule = Schemas['DocumentRule']
/** What the report of a case is written as. */
export type ReportForm = operations['export_case']['parameters']['path']['form']
export type Account = NonNullable<StoredDocument['account']>
export type Cells = Account['cells']
export type Cell = keyof Cells
export type Impact = components['schemas']['Impact']
export type Unexplained = NonNullable<StoredDocument['unexplained']>
export type Investigations = StoredDocument['investigations']
export type Investigation = Investigations['otherwise']
export type Claim = DocumentRule['claims'][number]
export type Part = Claim['part']
export type Condition = StoredDocument['significance']
export type Comparison = Schemas['Comparison']
export type Portrait = Schemas['Portrait']
export type Headline = Schemas['Headline']
export type NextRun = Schemas['NextRun']
export type ThresholdInForce = Schemas['ThresholdInForce']
export type SourceReport = Schemas['SourceReport']
export type Where = Schemas['Where']
export type FileRow = Schemas['FileRow']
export type FileGroupRow = Schemas['FileGroupRow']
export type FilePage = Schemas['FilePage']
export type FileDetail = Schemas['FileDetail']
export type Advice = Schemas['Advice']
export type AdvisedSetting = Schemas['AdvisedSetting']
export type Option = Schemas['Option']
export type GivesWay = Schemas['GivesWay']
export type Unit = ThresholdInForce['unit']
export type Operator = Schemas['Compare']['operator']
export type Verdict = StoredFinding['verdict']
export type Severity = StoredFinding['severity']
/** A finding's own severity, or one of the two words a whole case may have beside. */
export type Grade = Headline['severity']
export type CaseView = Schemas['CaseView']
export type CaseSource = Schemas['CaseSource']
export type CaseSummary = Schemas['CaseSummary']
export type SampleView = Schemas['SampleView']
export type RuleView = Schemas['RuleView']
export type ConditionView = Condition
export type Site = Schemas['Site']
export type DocumentRef = Schemas['DocumentRef']
export type CitedDocument = Schemas['CitedDocument']
export type EvidenceRecord = Schemas['Record']
export type Agreement = Schemas['Agreement']
export type TextEvidence = Schemas['TextEvidence']
export type SourceContents = Schemas['SourceContents']
export type Block = Schemas['Block']
export type MeasuredProfile = Schemas['MeasuredProfile']
export type ComparedOpinion = Schemas['SecondOpinion']
export type Opinion = ComparedOpinion | Schemas['NoSecondOpinion']
export type DifferingValues = Schemas['DifferingValues']

/** A source that could not be read, why, and what to do about it. */
export interface Unread {
  readonly name: string
  readonly why: string
  /** What to give instead; empty where nothing is known of it. */
  readonly next: string
}
