import type { Client } from 'openapi-fetch'
import { client } from '../../api/client'

/** What the server answers of a centre (`iotriage/centre/report/section.py`, `log_row.py`). */
export interface Centre {
  has_warehouse: boolean
  days: string[]
}

export type ColumnUnit =
  | 'text'
  | 'count'
  | 'B'
  | 'B/s'
  | 's'
  | 'share'
  | 'ratio'
  | 'process-hours'
  | 'node-hours'

export interface Column {
  title: string
  unit: ColumnUnit
}

export interface Section {
  id: string
  number: number
  theme:
    | 'completeness'
    | 'totals'
    | 'help'
    | 'collective'
    | 'causes'
    | 'machine'
    | 'who'
    | 'spread'
    | 'effect'
  title: string
  note: string
  columns: Column[]
  rows: (string | number | null)[][]
  /** The log in which most of each row happened. */
  logs: ({ day: string; log: string } | null)[]
}

export interface Series {
  id: string
  title: string
  note: string
  unit: ColumnUnit
  values: (number | null)[]
  usual: number | null
  low: number | null
  high: number | null
}

export interface Trend {
  days: string[]
  series: Series[]
  unread: string[]
}

export interface Histogram {
  id: string
  theme: Section['theme']
  title: string
  note: string
  bins: { label: string; logs: number; process_hours: number | null }[]
  of: number
}

export interface Distribution {
  id: string
  title: string
  note: string
  unit: ColumnUnit
  jobs: number
  at: number[]
  values: number[]
  top_share: number | null
}

export interface Report {
  period: { kind: 'day' | 'week' | 'month'; first: string; last: string }
  headline: string
  summary: string
  unseen: string
  sections: Section[]
  trend: Trend
  histograms: Histogram[]
  distributions: Distribution[]
  choices: { file_systems: string[]; projects: string[]; users: string[]; applications: string[] }
}

export interface CentreLog {
  day: string
  log: string
  path: string
  size_bytes: number
  gone: string | null
  row: {
    has_document: boolean
    failure: string | null
    partial_log: boolean
    job_id: string | null
    user: number | null
    executable: string | null
    nprocs: number | null
    nnodes: number | null
    start_time: number | null
    runtime_s: number | null
    site: string | null
    headline: string | null
    headline_severity: string | null
  }
  findings: {
    rule: string
    scope_label: string
    severity: string
    explained_by: string | null
    takes_s: number | null
    headline: string | null
  }[]
  steps: {
    log: string
    start_time: number | null
    runtime_s: number | null
    headline: string | null
    headline_severity: string | null
  }[]
  more_steps: number
}

interface Asked {
  period?: 'week' | 'month'
  file_system?: string
  project?: string
  user?: string
  application?: string
}

interface Answer<T> {
  content: { 'application/json': T }
}

type LogPath = { path: { day: string; log: string } }

interface CentrePaths {
  '/api/v1/centre': { get: { responses: { 200: Answer<Centre> } } }
  '/api/v1/centre/reports/{day}': {
    get: { parameters: { path: { day: string }; query?: Asked }; responses: { 200: Answer<Report> } }
  }
  '/api/v1/centre/trend': {
    get: {
      parameters: { query: { last: string; days?: number } & Omit<Asked, 'period'> }
      responses: { 200: Answer<Trend> }
    }
  }
  '/api/v1/centre/logs/{day}/{log}': { get: { parameters: LogPath; responses: { 200: Answer<CentreLog> } } }
  '/api/v1/centre/logs/{day}/{log}/case': {
    post: { parameters: LogPath; responses: { 201: Answer<{ id: string }> } }
  }
}

export const centreClient = client as unknown as Client<CentrePaths>
