/** What stands in `deploy/`, held against the program that it is for. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { METRICS } from '@turnwise/mesh/observe/metrics'
import { afterAll, describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readNodeConfig } from '../../src/agent/config.ts'
import { prometheusName } from '../../src/agent/prometheus.ts'
import { turnwise } from './in-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'tw-'))
afterAll(() => rmSync(folder, { recursive: true }))

const read = (file: string) => readFileSync(new URL(`../../../../deploy/${file}`, import.meta.url), 'utf8')

/** By the name that stands in a query, the labels that it has. */
const exported = new Map<string, readonly string[]>([['turnwise_joined', []]])
for (const metric of METRICS) {
  const name = prometheusName(metric)
  if (metric.type === 'histogram') exported.set(`${name}_bucket`, [...metric.labels, 'le'])
  else exported.set(name, metric.labels)
}

/** Metrics of a query, and the labels that it asks for. */
function asked(query: string): { readonly metrics: string[]; readonly labels: string[] } {
  const metrics = query.match(/turnwise_\w+/g) ?? []
  const by = [...query.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '))
  const matched = [...query.matchAll(/\{(\w+)=/g)].map(([, label = '']) => label)
  // Those that Prometheus itself gives.
  const labels = [...by, ...matched].filter((label) => !['node', 'job'].includes(label))
  return { metrics, labels }
}

function expectExported(query: string): void {
  const { metrics, labels } = asked(query)
  expect(metrics.length, query).toBeGreaterThan(0)
  for (const metric of metrics) {
    expect([...exported.keys()], query).toContain(metric)
    for (const label of labels) expect(exported.get(metric), query).toContain(label)
  }
}

interface Dashboard {
  readonly panels: readonly {
    readonly title: string
    readonly targets: readonly { readonly expr: string }[]
  }[]
}

interface Alerts {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string
      readonly expr: string
      readonly annotations: { readonly summary: string }
    }[]
  }[]
}

describe('the dashboard', () => {
  const { panels } = JSON.parse(read('grafana.json')) as Dashboard

  test.each(panels)('$title: asks for what is exported', ({ targets }) => {
    for (const { expr } of targets) expectExported(expr)
  })

  test('no metric is left out', () => {
    const shown = panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => asked(expr).metrics))
    expect(new Set(shown)).toEqual(new Set(exported.keys()))
  })
})

describe('the alerts', () => {
  const { groups } = parse(read('alerts.yml')) as Alerts
  const rules = groups.flatMap((group) => group.rules)

  test.each(rules)('$alert: asks for what is exported', ({ expr, annotations }) => {
    expectExported(expr)
    const { metrics } = asked(expr)
    const labels = metrics.flatMap((metric) => exported.get(metric) ?? [])
    for (const [, label] of annotations.summary.matchAll(/\$labels\.(\w+)/g))
      expect(['node', ...labels]).toContain(label)
  })
})

/** The words of a command line are understood: its options are those that the program has. */
async function expectUnderstood([name = '', ...rest]: readonly string[]): Promise<void> {
  const { out } = await turnwise([name, '--help'])
  for (const option of rest.filter((word) => word.startsWith('--')))
    expect(out).toMatch(new RegExp(`^  (-\\w, )?${option} `, 'm'))
}

describe('in Kubernetes', () => {
  // oxlint-disable-next-line typescript/no-explicit-any -- as deep as Kubernetes has it, and each field is compared
  const documents: any[] = parseAllDocuments(read('kubernetes.yaml')).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS()
  })
  const of = (kind: string) => documents.find((document) => document.kind === kind)
  const { spec } = of('StatefulSet')
  const [container] = spec.template.spec.containers

  test('every node reads its file, and is one of those it names', () => {
    const file = join(folder, 'node.json')
    writeFileSync(file, of('ConfigMap').data['node.json'])
    const ids = Array.from({ length: spec.replicas }, (_, i) => `${of('StatefulSet').metadata.name}-${i}`)
    for (const id of ids) {
      const { join: options, socket } = readNodeConfig(file, id)
      expect(Object.keys(options.peers ?? {})).toEqual(ids)
      for (const peer of ids) expect(options.peers?.[peer]).toBe(`${peer}.${spec.serviceName}:7101`)
      const mounts: { mountPath: string }[] = container.volumeMounts
      // A volume belongs to root: only directories that the node makes in it are its own.
      for (const path of [options.stateDir, dirname(socket ?? '')])
        expect(mounts.some(({ mountPath }) => path?.startsWith(`${mountPath}/`))).toBe(true)
    }
  })

  test('the first start needs every voter: they start together and find each other before they are ready', () => {
    expect(spec.podManagementPolicy).toBe('Parallel')
    expect(of('Service').spec).toMatchObject({ clusterIP: 'None', publishNotReadyAddresses: true })
    expect(of('Service').metadata.name).toBe(spec.serviceName)
  })

  test('a majority stays', () => {
    const { maxUnavailable, selector } = of('PodDisruptionBudget').spec
    expect(2 * (spec.replicas - maxUnavailable)).toBeGreaterThan(spec.replicas)
    for (const labels of [selector.matchLabels, spec.selector.matchLabels, of('Service').spec.selector])
      expect(labels).toEqual(spec.template.metadata.labels)
  })

  test('each node knows its zone, and they are spread over zones', () => {
    const { env } = container as { env: { name: string; valueFrom: { fieldRef?: { fieldPath: string } } }[] }
    const zone = env.find(({ name }) => name === 'TURNWISE_ZONE')
    const [spread] = spec.template.spec.topologySpreadConstraints
    expect(zone?.valueFrom.fieldRef?.fieldPath).toBe(`metadata.labels['${spread.topologyKey}']`)
    expect(spread.labelSelector).toEqual(spec.selector)
  })

  test('what it runs is understood', async () => {
    await expectUnderstood(container.args)
    const [program, ...words] = container.readinessProbe.exec.command
    expect(program).toBe('turnwise')
    await expectUnderstood(words)
  })
})

describe('in a container', () => {
  const lines = read('Dockerfile').replaceAll('\\\n', '').split('\n')
  const after = (word: string) =>
    lines.find((line) => line.startsWith(`${word} `))?.slice(word.length + 1) ?? ''

  test('signals reach the node, which runs as an ordinary user', async () => {
    expect(JSON.parse(after('ENTRYPOINT'))).toEqual(['turnwise'])
    expect(after('USER')).toBe('node')
    await expectUnderstood(JSON.parse(after('CMD')) as string[])
    const [, health = '[]'] = /CMD (\[.*\])$/.exec(after('HEALTHCHECK')) ?? []
    await expectUnderstood((JSON.parse(health) as string[]).slice(1))
  })
})

describe('as a service of systemd', () => {
  const unit = read('turnwise.service')
  const [, program = '', words = ''] = /^ExecStart=(\S+) (.*)$/m.exec(unit) ?? []
  const isThere = spawnSync('systemd-analyze', ['--version']).status === 0

  test('what it runs is understood, and a mistake in the file is not tried again', async () => {
    await expectUnderstood(words.split(' '))
    expect(unit).toMatch(/^RestartPreventExitStatus=2$/m)
  })

  test.skipIf(!isThere)(`systemd understands it${isThere ? '' : ': systemd-analyze is not here'}`, () => {
    const file = join(folder, 'turnwise.service')
    // Of a program that is not installed it would complain.
    writeFileSync(file, unit.replace(program, process.execPath))
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], {
      encoding: 'utf8',
    })
    expect(stderr.split('\n').filter((line) => line.includes('turnwise.service'))).toEqual([])
    expect(status).toBe(0)
  })
})
