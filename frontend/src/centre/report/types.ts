import type { components } from '../../api/schema'

type Schemas = components['schemas']

export type Report = Schemas['Report']
export type Section = Schemas['Section']
export type Column = Schemas['Column']
export type ColumnUnit = Column['unit']
export type Series = Schemas['Series']
export type Histogram = Schemas['Histogram']
export type Distribution = Schemas['Distribution']
export type CentreLog = Schemas['CentreLog']
