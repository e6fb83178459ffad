import { type CaseDocument, sourceName } from '../analysis/caseDocument'
import { count, exactly, format, plural } from '../format'
import { Block, type Fact, Facts, Kind } from './Kind'
import { Place } from './Place'
import { Rows } from './Rows'
import css from './Sources.module.css'
import { at, type PartOf, textEvidence } from './textEvidence'

type Context = PartOf<'job_context'>

const SCHEDULERS: Record<NonNullable<Context['scheduler']>, string> = {
  slurm: 'Slurm',
  pbs: 'PBS',
  cobalt: 'Cobalt',
  lsf: 'LSF',
  flux: 'Flux',
}
const FROM: Record<Context['source'], string> = {
  script: 'job script: what was asked for',
  sacct: 'sacct: what was given',
  scontrol: 'scontrol: what was given',
  seff: 'seff: what was given',
  qstat: 'qstat: what was given',
  epilogue: 'epilogue: what was given and used',
  ipm: 'IPM: what ran',
  trace: 'set -x: what the script ran',
  output: 'job output: how it ended',
  time: 'time: how long the program ran',
}

/** What the job script and the scheduler say about the job. */
export function JobContexts({ document }: { document: CaseDocument }) {
  const contexts = textEvidence(document, 'job_context')
  if (contexts.length === 0) return null
  return (
    <Kind
      id="job"
      title="Job script and scheduler"
      says={contexts.map(({ part }) => summary(part)).join('; ')}
    >
      {contexts.map(({ source, part }) => (
        <ContextBlock
          key={`${source}:${part.lines.first}`}
          source={source}
          part={part}
          name={sourceName(document, source)}
        />
      ))}
    </Kind>
  )
}

function summary(part: Context): string {
  const set = part.environment.length
  return [
    part.source === 'script' ? 'job script' : part.source,
    part.nnodes !== null && plural(part.nnodes, 'node'),
    part.ntasks !== null && plural(part.ntasks, 'rank'),
    set > 0 && plural(set, 'variable'),
    part.stripe_commands.length > 0 && 'lfs setstripe',
    part.state?.toLowerCase(),
  ]
    .filter(Boolean)
    .join(', ')
}

function ContextBlock({ source, part, name }: { source: number; part: Context; name: string }) {
  const fact = (field: keyof Context, title: string, value: string | null): Fact | null => {
    const stands = part.fields.find((f) => f.name === field)
    return value === null
      ? null
      : { name: title, value, place: stands && <Place where={at(source, stands.line)} /> }
  }
  const number = (value: number | null) => (value === null ? null : count(value))
  const time = (value: number | null) => (value === null ? null : format(value, 's'))
  return (
    <Block
      title={name}
      about={`${part.scheduler ? `${SCHEDULERS[part.scheduler]} ` : ''}${FROM[part.source]}${part.complete ? '' : '; the text is cut off'}`}
    >
      <Facts
        facts={[
          fact('job_id', 'job id', part.job_id),
          fact('job_name', 'name', part.job_name),
          fact('nnodes', 'nodes', number(part.nnodes)),
          fact('ntasks', 'ranks', number(part.ntasks)),
          fact('ranks_per_node', 'ranks per node', number(part.ranks_per_node)),
          fact('elapsed_s', 'elapsed', time(part.elapsed_s)),
          fact('io_mean_s', 'in I/O, mean rank', time(part.io_mean_s)),
          fact('io_slowest_s', 'in I/O, slowest rank', time(part.io_slowest_s)),
          fact(
            'time_limit_s',
            'time limit',
            part.time_limit_s === null ? null : exactly(part.time_limit_s, 's'),
          ),
          fact('state', 'state', part.state),
          fact('partition', 'partition', part.partition),
          fact('work_dir', 'directory', part.work_dir),
          fact('nodelist', 'node list', part.nodelist),
        ]}
      />
      {part.modules.length > 0 && (
        <p className={css.note}>
          modules:{' '}
          {part.modules.map((module) => (
            <span key={`${module.line} ${module.action} ${module.names.join(' ')}`}>
              <span className="mono">
                {module.action} {module.names.join(' ')}
              </span>{' '}
              <Place where={at(source, module.line)} />{' '}
            </span>
          ))}
        </p>
      )}
      <Rows
        caption="Environment that the script sets"
        rows={part.environment}
        keyOf={(setting) => `${setting.line} ${setting.name}`}
        columns={[
          { name: 'variable', cell: (setting) => <span className="mono">{setting.name}</span> },
          {
            name: 'value',
            cell: (setting) =>
              setting.value === null ? (
                <span className="muted">unset</span>
              ) : (
                <span className="mono">{setting.value || '(empty)'}</span>
              ),
          },
          { name: 'where', cell: (setting) => <Place where={at(source, setting.line)} /> },
        ]}
      />
      <Rows
        caption="Commands of the script that stripe files and start the program"
        rows={[...part.stripe_commands, ...part.launches]}
        keyOf={(command) => `${command.line} ${command.text}`}
        columns={[
          { name: 'command', cell: (command) => <span className="mono">{command.text}</span> },
          { name: 'where', cell: (command) => <Place where={at(source, command.line)} /> },
        ]}
      />
      <Rows
        caption="Steps of the job"
        rows={part.steps}
        keyOf={(step) => `${step.step}@${step.line}`}
        columns={[
          {
            name: 'step',
            cell: (step) => `${step.step}${step.name && step.name !== step.step ? ` ${step.name}` : ''}`,
          },
          { name: 'nodes', number: true, cell: (step) => number(step.nnodes) },
          { name: 'ranks', number: true, cell: (step) => number(step.ntasks) },
          { name: 'elapsed', number: true, cell: (step) => time(step.elapsed_s) },
          { name: 'state', cell: (step) => step.state?.toLowerCase() },
          { name: 'where', cell: (step) => <Place where={at(source, step.line)} /> },
        ]}
      />
    </Block>
  )
}
