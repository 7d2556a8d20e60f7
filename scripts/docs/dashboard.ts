/** `deploy/grafana.json`: what a node tells Prometheus, as a dashboard that Grafana imports. */

interface Panel {
  readonly title: string
  readonly about: string
  readonly unit: 's' | 'ops' | 'short'
  /** Query and legend. */
  readonly shows: readonly (readonly [query: string, legend: string])[]
}

const quantile = (q: number, metric: string, by: string) =>
  `histogram_quantile(${q}, sum by (le, ${by}) (rate(${metric}_bucket{node=~"$node"}[$__rate_interval])))`
const rate = (metric: string, by: string) =>
  `sum by (${by}) (rate(${metric}{node=~"$node"}[$__rate_interval]))`
const now = (metric: string, by: string) => `sum by (${by}) (${metric}{node=~"$node"})`

const PANELS: readonly Panel[] = [
  {
    title: 'How long callers wait',
    about: 'From the request to the grant, by prefix of the name. The slowest hundredth, and half of them.',
    unit: 's',
    shows: [
      [quantile(0.99, 'turnwise_wait_seconds', 'prefix'), '{{prefix}} p99'],
      [quantile(0.5, 'turnwise_wait_seconds', 'prefix'), '{{prefix}} p50'],
    ],
  },
  {
    title: 'How long locks are held',
    about: 'From the grant to the release or the loss. One node that stands out keeps the others waiting.',
    unit: 's',
    shows: [[quantile(0.99, 'turnwise_hold_seconds', 'node, prefix'), '{{node}} {{prefix}} p99']],
  },
  {
    title: 'Turns a second',
    about: 'Requests that got the lock.',
    unit: 'ops',
    shows: [[rate('turnwise_turns_total', 'prefix'), '{{prefix}}']],
  },
  {
    title: 'Inside and in line',
    about: 'Callers that hold a lock, and callers that wait.',
    unit: 'short',
    shows: [
      [now('turnwise_held', 'prefix'), '{{prefix}} held'],
      [now('turnwise_waiting', 'prefix'), '{{prefix}} waiting'],
    ],
  },
  {
    title: 'Lost locks and lost leases',
    about: 'Each of them is work under a lock that may have gone on without it: its fence was stale.',
    unit: 'ops',
    shows: [
      [rate('turnwise_lock_losses_total', 'node, reason'), '{{node}} {{reason}}'],
      [rate('turnwise_lease_losses_total', 'node'), '{{node}} lease'],
      [rate('turnwise_clock_jumps_total', 'node'), '{{node}} clock'],
    ],
  },
  {
    title: 'Requests without the lock',
    about: 'Timed out, aborted, no quorum, not available at once, or the node left.',
    unit: 'ops',
    shows: [[rate('turnwise_request_failures_total', 'reason'), '{{reason}}']],
  },
  {
    title: 'What is left of the lease',
    about: 'At each renewal, the slowest hundredth. Near 0 the lease is too short for this machine.',
    unit: 's',
    shows: [
      [quantile(0.01, 'turnwise_lease_margin_seconds', 'node'), '{{node}} at renewal'],
      [now('turnwise_lease_left_seconds', 'node'), '{{node}} now'],
    ],
  },
  {
    title: 'Views',
    about:
      'A view is begun when a member comes, goes or is lost. More than a few an hour is a sign of trouble.',
    unit: 'short',
    shows: [
      [
        'sum by (node) (increase(turnwise_views_total{node=~"$node"}[1h]))',
        '{{node}} begun in the last hour',
      ],
    ],
  },
  {
    title: 'Who is there',
    about: 'Members of the view, nodes that still join, and voters that are not heard.',
    unit: 'short',
    shows: [
      ['max(turnwise_view_members{node=~"$node"})', 'members'],
      ['count(turnwise_joined{node=~"$node"} == 0)', 'still joining'],
      [now('turnwise_voters_missing', 'node'), '{{node}} misses voters'],
    ],
  },
  {
    title: 'Messages for each turn',
    about: 'Lock messages sent, divided by turns. The algorithm says how many there should be.',
    unit: 'short',
    shows: [
      [`${rate('turnwise_messages_sent_total', 'job')} / ${rate('turnwise_turns_total', 'job')}`, 'messages'],
    ],
  },
  {
    title: 'Silence of the meeting place',
    about: 'Time since it last answered. Locks are kept for up to a lease without it.',
    unit: 's',
    shows: [[now('turnwise_place_silent_seconds', 'node'), '{{node}}']],
  },
  {
    title: 'Names and epochs',
    about:
      'Names that a node remembers, connections refused, and the epoch of the view, which is the same at all nodes.',
    unit: 'short',
    shows: [
      [now('turnwise_names', 'node'), '{{node}} names'],
      [rate('turnwise_peer_refusals_total', 'node'), '{{node}} refused a second'],
      ['max(turnwise_view_epoch{node=~"$node"}) - min(turnwise_view_epoch{node=~"$node"})', 'epochs apart'],
    ],
  },
]

const SOURCE = { type: 'prometheus', uid: '${source}' }
const WIDTH = 12
const HEIGHT = 8

export function dashboard(): string {
  const board = {
    title: 'turnwise',
    uid: 'turnwise',
    tags: ['locks'],
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: {
      list: [
        { name: 'source', label: 'Prometheus', type: 'datasource', query: 'prometheus' },
        {
          name: 'node',
          type: 'query',
          datasource: SOURCE,
          query: 'label_values(turnwise_joined, node)',
          multi: true,
          includeAll: true,
          refresh: 2,
        },
      ],
    },
    panels: PANELS.map((panel, i) => drawn(panel, i)),
  }
  return `${JSON.stringify(board, null, 2)}\n`
}

function drawn({ title, about, unit, shows }: Panel, i: number): object {
  return {
    id: i + 1,
    type: 'timeseries',
    title,
    description: about,
    datasource: SOURCE,
    gridPos: { x: WIDTH * (i % 2), y: HEIGHT * Math.floor(i / 2), w: WIDTH, h: HEIGHT },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: shows.map(([expr, legendFormat], k) => ({
      refId: String.fromCharCode(65 + k),
      datasource: SOURCE,
      expr,
      legendFormat,
    })),
  }
}
