/**
 * `npm run new-algorithm -- FAMILY NAME`: starts an algorithm from the template, with a scenario, and puts it into the lists
 * (write-lists.ts).
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'

const FAMILIES = ['token', 'permission', 'quorum', 'multi', 'zones', 'election']
const home = new URL('../packages/algorithms/', import.meta.url)
const [family = '', name = ''] = process.argv.slice(2)

function fail(message: string): never {
  process.stderr.write(`new-algorithm: ${message}\n`)
  process.exit(2)
}

if (!FAMILIES.includes(family)) fail(`"${family}" is not a family: ${FAMILIES.join(', ')}`)
if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) fail(`"${name}" is not a name such as ricart-agrawala`)
const file = new URL(`src/${family}/${name}.ts`, home)
if (existsSync(file)) fail(`src/${family}/${name}.ts exists already`)

const variable = name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
const text = readFileSync(new URL('src/template.ts', home), 'utf8')
  .replaceAll('template', variable)
  .replace(`name: '${variable}'`, `name: '${name}'`)
  .replace("family: 'permission'", `family: '${family}'`)
mkdirSync(new URL('.', file), { recursive: true })
writeFileSync(file, text)

const scenario = new URL(`scenarios/${name}/`, home)
mkdirSync(scenario, { recursive: true })
writeFileSync(
  new URL('alone.txt', scenario),
  '# Paper, section: what the example shows.\nworld nodes=1\nrequest 0\nrelease 0\n----\n0 asks; enters (fence 1)\n0 leaves\n\n',
)

await import('./write-lists.ts')

process.stdout.write(`packages/algorithms/src/${family}/${name}.ts        the rules: begin here
packages/algorithms/scenarios/${name}/alone.txt   the paper's example
packages/algorithms/broken/                       a rule that fails, and how it is caught
Then: npm run docs && npm test
`)
