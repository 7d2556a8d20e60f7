/**
 * Rules that once were a setting of another algorithm and now are algorithms of their own. Older commands, addresses
 * and configurations name them by the setting, and still work.
 */

interface Former {
  readonly name: string
  /** The settings that selected them, without the value. */
  readonly settings: readonly string[]
  readonly now: string
  /** Whether the setting still exists, so that only the name changes. */
  readonly stays?: true
}

/** The first one that fits counts. */
const FORMER: readonly Former[] = [
  { name: 'ricart-agrawala', settings: ['modulus'], now: 'ricart-agrawala-modulo', stays: true },
  { name: 'raymond', settings: ['piggyback', 'recovery'], now: 'raymond-piggyback-recovery' },
  { name: 'raymond', settings: ['piggyback'], now: 'raymond-piggyback' },
  { name: 'raymond', settings: ['recovery'], now: 'raymond-recovery' },
  { name: 'nishio-li-manning', settings: ['detector'], now: 'nishio-li-manning-detection' },
  // It always brought the rules of reconfiguration with it.
  {
    name: 'helary-plouzeau-raynal',
    settings: ['regeneration'],
    now: 'helary-plouzeau-raynal-regeneration',
  },
  {
    name: 'helary-plouzeau-raynal',
    settings: ['reconfiguration'],
    now: 'helary-plouzeau-raynal-reconfiguration',
  },
]

interface Asked {
  readonly name: string
  readonly settings: readonly string[]
}

/** The same rules under today's name. A value that was never allowed stays, so that the usual check refuses it. */
export function asNamedNow({ name, settings }: Asked): Asked {
  const former = FORMER.filter((each) => each.name === name)
  if (former.length === 0) return { name, settings }
  // If a setting has two values, the last counts.
  const last = [...new Map(settings.map((setting) => [nameOf(setting), setting])).values()]
  const isOn = (option: string, { stays }: Former) =>
    stays
      ? last.some((each) => nameOf(each) === option && each !== `${option}=0`)
      : last.includes(`${option}=true`)
  const found = former.find((each) => each.settings.every((option) => isOn(option, each)))
  const said = former.flatMap((each) =>
    each.settings.flatMap((option) => (each.stays ? [`${option}=0`] : [`${option}=true`, `${option}=false`])),
  )
  return { name: found?.now ?? name, settings: last.filter((each) => !said.includes(each)) }
}

function nameOf(setting: string): string {
  return setting.split('=', 1)[0] ?? setting
}

/** The form in which a mesh names the algorithm of its locks: the name, then its settings. */
export function readAlgorithmText(text: string): Asked {
  const [name = '', ...settings] = text.split(' ')
  return asNamedNow({ name, settings })
}
