import { type AnyProtocol, isElection } from '@turnwise/core/algorithm'
import { type AnySpec, listOptions } from '@turnwise/core/options'
import { LATENCY_FORMS } from '@turnwise/simulator/latency'
import { memo, type ReactNode, useId } from 'react'
import { algorithmTitle } from '../../run/algorithm-title.ts'
import { known, playable, RESOURCES_SHOWN, type RunSpec, variants } from '../../run/spec.ts'
import { AlgorithmOptions, VariantOptions } from '../algorithm-options.tsx'
import { Choice, type Choices, NumberBox, TextBox } from './boxes.tsx'
import { EXAMPLE, withAlgorithm } from './theatre-query.ts'

interface Props {
  readonly spec: RunSpec
  readonly protocol: AnyProtocol | null
  readonly onChange: (spec: RunSpec) => void
}

const LOADS: Choices = [
  [EXAMPLE, 'three ask in turn'],
  ['light', 'light: one at a time'],
  ['heavy', 'heavy: all, always'],
  ['poisson:0.2', 'random arrivals'],
  ['closed:10', 'think, ask, leave'],
  ['hands', 'none: ask by hand'],
]

const CALLS: Choices = [
  ['one', 'one node calls'],
  ['all', 'all call at once'],
]

const LATENCIES: Choices = [
  ['constant:1', 'always 1'],
  ['uniform:0.5,2', '0.5 to 2'],
  ['uniform:0.5,8', '0.5 to 8'],
  ['exponential:2', 'exponential, mean 2'],
  ['one-datacentre', 'in a datacentre'],
  ['three-zones', 'between three zones'],
  ['three-continents', 'between continents'],
]

const MATRIX = '{"zones":[["constant:1","constant:60"],["constant:60","constant:1"]]}'

/** The settings of the run: the algorithm first, then its world. */
export const Settings = memo(function Settings({ spec, protocol, onChange }: Props) {
  const set = (changes: Partial<RunSpec>) => onChange({ ...spec, ...changes })
  const elects = protocol !== null && isElection(protocol)
  const load = elects && !CALLS.some(([value]) => value === spec.load) ? 'one' : spec.load
  return (
    <div className="settings">
      <AlgorithmPicker value={spec.algorithm} onChange={(name) => onChange(withAlgorithm(spec, name))} />
      <Field name="Nodes">
        {(id) => (
          <NumberBox id={id} value={spec.nodes} min={1} max={400} onChange={(nodes) => set({ nodes })} />
        )}
      </Field>
      <Field name="Load">
        {(id) => (
          <Choice
            id={id}
            value={load}
            known={elects ? CALLS : LOADS}
            onChange={(value) => set({ load: value })}
          />
        )}
      </Field>
      <Field name="Delay" className="delay">
        {(id) => (
          <Choice id={id} value={spec.latency} known={LATENCIES} onChange={(latency) => set({ latency })} />
        )}
      </Field>
      <Field name="Seed">
        {(id) => (
          <NumberBox id={id} value={spec.seed} min={0} max={999_999} onChange={(seed) => set({ seed })} />
        )}
      </Field>
    </div>
  )
})

export function AlgorithmPicker({
  name = `Algorithm (${known.length})`,
  value,
  onChange,
}: {
  name?: string
  value: string
  onChange: (name: string) => void
}) {
  return (
    <Field name={name} className="algorithm">
      {(id) => (
        <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
          {!playable.some(({ facts }) => facts.name === value) && <option value={value}>{value}</option>}
          <AlgorithmOptions of={known} />
          <VariantOptions of={variants} />
        </select>
      )}
    </Field>
  )
}

const STAYS: Choices = [
  ['constant:1', '1'],
  ['constant:2', '2'],
  ['constant:10', '10'],
  ['exponential:2', 'random, mean 2'],
]

const orNone = (text: string) => (text === '' ? undefined : text)
const orAsNeeded = (names: readonly string[]): Choices => [
  ['', 'as it needs'],
  ...names.map((name) => [name, name] as const),
]

/** Settings that change less often: the world, and the algorithm's own options. */
export const MoreSettings = memo(function MoreSettings({
  spec,
  protocol,
  onChange,
}: Props & { readonly protocol: AnyProtocol }) {
  const set = (changes: Partial<RunSpec>) => onChange({ ...spec, ...changes })
  return (
    <div className="settings">
      <WorldFields spec={spec} protocol={protocol} set={set} />
      <Field name="Channels">
        {(id) => (
          <Choice
            id={id}
            value={spec.channels ?? ''}
            known={orAsNeeded(['fifo', 'unordered'])}
            onChange={(value) => set({ channels: orNone(value) })}
          />
        )}
      </Field>
      <Field name="Delay, in words" about={`${LATENCY_FORMS}, or the laws between zones, such as ${MATRIX}`}>
        {(id) => <TextBox id={id} value={spec.latency} size={16} onChange={(latency) => set({ latency })} />}
      </Field>
      <Field name="Stay inside">
        {(id) => <Choice id={id} value={spec.inside} known={STAYS} onChange={(inside) => set({ inside })} />}
      </Field>
      <Field name="Entries">
        {(id) => (
          <NumberBox
            id={id}
            value={spec.entries}
            min={1}
            max={20_000}
            onChange={(entries) => set({ entries })}
          />
        )}
      </Field>
      {listOptions(protocol.options).map(([name, option]) => (
        <OptionField key={name} {...{ name, option, spec, onChange }} />
      ))}
    </div>
  )
})

interface WorldFieldsProps {
  readonly spec: RunSpec
  readonly protocol: AnyProtocol
  readonly set: (changes: Partial<RunSpec>) => void
}

/** Topology, quorums, structure and k, each if the algorithm has a choice. */
function WorldFields({ spec, protocol, set }: WorldFieldsProps) {
  const { facts } = protocol
  const isK = !isElection(protocol) && protocol.facts.entries === 'k'
  const trees = ['tree', 'line', 'star', 'tree:3']
  const graphs = ['complete', 'ring', 'line', 'star', 'tree', 'grid', 'random']
  const wordFields: readonly [
    name: string,
    field: 'topology' | 'quorum' | 'structure',
    values: readonly string[],
  ][] = [
    ...(facts.topology === 'tree' ? [['Topology', 'topology', trees] as const] : []),
    ...(facts.topology === 'connected' ? [['Topology', 'topology', graphs] as const] : []),
    ...(facts.quorums
      ? [
          [
            'Quorums',
            'quorum',
            isK ? ['k-majority', 'k-singleton'] : ['majority', 'grid', 'projective', 'tree'],
          ] as const,
        ]
      : []),
    ...(facts.structure === true
      ? [['Structure', 'structure', ['ricart-agrawala', 'central:0', 'maekawa']] as const]
      : []),
  ].map(([name, field, values]) => [name, field, values])
  return (
    <>
      {wordFields.map(([name, field, values]) => (
        <Field key={field} name={name}>
          {(id) => (
            <Choice
              id={id}
              value={spec[field] ?? ''}
              known={orAsNeeded(values)}
              onChange={(value) => set({ [field]: orNone(value) })}
            />
          )}
        </Field>
      ))}
      {!isElection(protocol) && protocol.facts.resources && <ResourceFields spec={spec} set={set} />}
      {!isElection(protocol) && protocol.facts.sharedMode && <ReadersField spec={spec} set={set} />}
      {isK && (
        <Field name="Inside together">
          {(id) => (
            <NumberBox
              id={id}
              value={spec.k ?? Math.min(2, spec.nodes)}
              min={1}
              max={spec.nodes}
              onChange={(k) => set({ k })}
            />
          )}
        </Field>
      )}
    </>
  )
}

const READERS: Choices = [
  ['0', 'none'],
  ['0.5', 'half of them'],
  ['0.8', 'four of five'],
  ['1', 'all'],
]

/** How many requests share, unless each is written down with its mode. */
function ReadersField({ spec, set }: Pick<WorldFieldsProps, 'spec' | 'set'>) {
  if (spec.load === 'hands' || spec.load.startsWith('script:')) return null
  return (
    <Field name="Readers" about="The share of requests in shared mode, which may be inside together">
      {(id) => (
        <Choice
          id={id}
          value={String(spec.readers ?? 0)}
          known={READERS}
          onChange={(value) => set({ readers: value === '0' ? undefined : Number(value) })}
        />
      )}
    </Field>
  )
}

/** How many resources there are, and how many each request is for. */
function ResourceFields({ spec, set }: Pick<WorldFieldsProps, 'spec' | 'set'>) {
  const { resources = RESOURCES_SHOWN, take = Math.min(2, resources) } = spec
  return (
    <>
      <Field name="Resources">
        {(id) => (
          <NumberBox
            id={id}
            value={resources}
            min={1}
            max={MOST_RESOURCES}
            onChange={(count) => set({ resources: count, take: Math.min(take, count) })}
          />
        )}
      </Field>
      <Field name="Each takes">
        {(id) => (
          <NumberBox
            id={id}
            value={take}
            min={1}
            max={resources}
            onChange={(count) => set({ take: count })}
          />
        )}
      </Field>
    </>
  )
}

/** More are too many to tell apart. */
const MOST_RESOURCES = 64

interface OptionFieldProps {
  readonly name: string
  readonly option: AnySpec
  readonly spec: RunSpec
  readonly onChange: (spec: RunSpec) => void
}

/** An option of the algorithm: a list of its values if they are few, a box to write in else. */
function OptionField({ name, option, spec, onChange }: OptionFieldProps) {
  const initial = String(option.default)
  const value = spec.set.find((setting) => setting.startsWith(`${name}=`))?.slice(name.length + 1) ?? initial
  const change = (text: string) => {
    const others = spec.set.filter((setting) => !setting.startsWith(`${name}=`))
    onChange({ ...spec, set: text === initial || text === '' ? others : [...others, `${name}=${text}`] })
  }
  const choices = choicesOf(option)
  return (
    <Field name={option.title ?? name} about={`${name}: ${option.about}`} className="option">
      {(id) =>
        choices === null ? (
          <TextBox id={id} value={value} size={6} onChange={change} />
        ) : (
          <Choice id={id} value={value} known={choices} onChange={change} />
        )
      }
    </Field>
  )
}

function choicesOf(option: AnySpec): Choices | null {
  // An algorithm made of others lets its user choose them.
  if (option.kind === 'choice')
    return option.choices.map((choice) => [choice, algorithmTitle(choice)] as const)
  if (option.kind !== 'flag') return null
  return [
    ['true', 'yes'],
    ['false', 'no'],
  ]
}

function Field({
  name,
  about,
  className = '',
  children,
}: {
  name: string
  about?: string
  className?: string
  children: (id: string) => ReactNode
}) {
  const id = useId()
  return (
    <div className={`field ${className}`} title={about}>
      <label htmlFor={id}>{name}</label>
      {children(id)}
    </div>
  )
}
