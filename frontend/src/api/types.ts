import type { components } from './schema'

type Schemas = components['schemas']

export type CaseDocument = Schemas['CaseDocument']
export type Finding = Schemas['Finding']
export type CompareLeaf = Schemas['CompareLeaf']
export type IsOneOfLeaf = Schemas['IsOneOfLeaf']
export type PresentLeaf = Schemas['PresentLeaf']
type AllOfNode = Schemas['AllOfNode']
type AnyOfNode = Schemas['AnyOfNode']
export type Leaf = CompareLeaf | IsOneOfLeaf | PresentLeaf
export type ConditionNode = Leaf | AllOfNode | AnyOfNode
export type Headline = Schemas['Headline']
export type ThresholdInForce = Schemas['ThresholdInForce']
export type SourceReport = Schemas['SourceReport']
export type Where = Schemas['Where']
export type FileRow = Schemas['FileRow']
export type Advice = Schemas['Advice']
export type Unit = CompareLeaf['unit']
export type Operator = CompareLeaf['operator']
export type Verdict = Finding['verdict']
export type Severity = Finding['severity']
export type Answer = boolean | null
/** A finding's own severity, or one of the two words a whole case may have beside. */
export type Grade = Headline['severity']
export type CaseView = Schemas['CaseView']
export type CaseSource = Schemas['CaseSource']
export type CaseSummary = Schemas['CaseSummary']
export type SampleView = Schemas['SampleView']
export type RuleView = Schemas['RuleView']
export type ConditionView = RuleView['condition']
export type Site = Schemas['Site']
export type DocumentRef = Schemas['DocumentRef']
export type EvidenceRecord = Schemas['Record']
export type Agreement = Schemas['Agreement']
export type Told = Schemas['Told']
