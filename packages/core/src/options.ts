import { InvalidInput, invalid, wholeNumber } from './invalid-input.ts'

/** What an algorithm lets its user choose. Each has a default, and a line that says what it is for. */
export type OptionSpec<Value> = {
  /** The label of its field on a form: a few words, with a capital. Without it the name of the option is the label. */
  readonly title?: string
  readonly about: string
  readonly default: Value
  /**
   * Why this value breaks an assumption of the algorithm with so many nodes, or null. The simulator and the checker try
   * it anyway and say so. A mesh begins no view with it.
   */
  misfit?(value: Value, nodes: number): string | null
} & ([Value] extends [boolean]
  ? { readonly kind: 'flag' }
  : [Value] extends [number]
    ? {
        readonly kind: 'integer'
        readonly min: number
        readonly max?: number
        /** By how much a request may be more urgent than an ordinary one: while it is 0, all are equal. */
        readonly ranks?: true
        /** How often more urgent requests may pass another: while it is 0, all are equal. Any priority will do. */
        readonly passing?: true
        /** The default in a mesh, where it is another. */
        readonly inMesh?: Value
        /** Whether it is a time, for which the algorithm sets a timer unless it is 0. A host without timers refuses it. */
        readonly setsTimer?: true
      }
    : [Value] extends [readonly number[]]
      ? { readonly kind: 'list'; readonly min: number; readonly max?: number }
      : { readonly kind: 'choice'; readonly choices: readonly Value[] })

export type OptionSpecs<Options> = { readonly [Name in keyof Options]: OptionSpec<Options[Name]> }

export type AnySpec =
  | OptionSpec<boolean>
  | OptionSpec<number>
  | OptionSpec<readonly number[]>
  | OptionSpec<string>

type Value = AnySpec['default']

/** The options as a list, to print them. */
export function listOptions(specs: object): [name: string, spec: AnySpec][] {
  return Object.entries(specs) as [string, AnySpec][]
}

/** Reads `NAME=VALUE` settings against what the algorithm declares. */
export function readOptions<Options extends object>(
  specs: OptionSpecs<Options>,
  settings: readonly string[],
  whose = 'this algorithm',
): Options {
  const known = specs as Readonly<Record<string, AnySpec>>
  const values: Record<string, Value> = {}
  for (const [name, spec] of listOptions(specs)) values[name] = spec.default
  for (const setting of settings) {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(setting) ?? []
    if (name === '') throw invalid(setting, 'of the form NAME=VALUE')
    const spec = Object.hasOwn(known, name) ? known[name] : undefined
    if (spec === undefined) {
      const names = Object.keys(known)
      throw new InvalidInput(
        `"${name}" is not an option of ${whose}, which has ${names.length === 0 ? 'none' : names.join(', ')}`,
      )
    }
    values[name] = readValue(name, value, spec)
  }
  return values as Options
}

function readValue(name: string, text: string, spec: AnySpec): Value {
  switch (spec.kind) {
    case 'flag':
      if (text !== 'true' && text !== 'false') throw invalid(text, `a value of ${name}: true or false`)
      return text === 'true'
    case 'integer':
      return wholeNumber(text, `a value of ${name}`, spec.min, spec.max)
    case 'list':
      return text.split(',').map((item) => wholeNumber(item, `a value of ${name}`, spec.min, spec.max))
    case 'choice':
      if (!spec.choices.includes(text)) {
        throw invalid(text, `a value of ${name}: ${spec.choices.join(' or ')}`)
      }
      return text
  }
}

/** The defaults that are others in a mesh, as settings. */
export function settingsInMesh(specs: object): string[] {
  return listOptions(specs).flatMap(([name, spec]) =>
    spec.kind === 'integer' && spec.inMesh !== undefined ? [`${name}=${spec.inMesh}`] : [],
  )
}

/** What differs from the defaults, as it is written on the command line. */
export function changedSettings(specs: object, options: object): string[] {
  const set = options as Record<string, Value>
  return listOptions(specs)
    .filter(([name, spec]) => String(set[name]) !== String(spec.default))
    .map(([name]) => `${name}=${String(set[name])}`)
}

/** How the options break the assumptions of the algorithm. */
export function misfits(specs: object, options: object, nodes: number): string[] {
  const set = options as Record<string, Value>
  return listOptions(specs).flatMap(([name, spec]) => spec.misfit?.(set[name] as never, nodes) ?? [])
}

/** How the allowed values are written in help texts. */
export function allowedValues(spec: AnySpec): string {
  switch (spec.kind) {
    case 'flag':
      return 'true|false'
    case 'integer':
      return `${spec.min}..${spec.max ?? ''}`
    case 'list':
      return `${spec.min}..${spec.max ?? ''},…`
    case 'choice':
      return spec.choices.join('|')
  }
}
