import { FAULT_FORMS } from '@turnwise/core/faults'
import { describe, test } from 'vitest'
import { expectRefusal } from './in-process.ts'

const LAWS = 'constant:D, uniform:LOW,HIGH, exponential:MEAN'
const PLACES = 'one-datacentre, three-zones, three-continents'
const LOADS = 'light, heavy, poisson:RATE, closed:THINK, hot:W0,W1,…, script:FILE'
const GRAPHS = 'complete, ring, line, star, tree[:ARITY], grid, random[:EDGES], FILE.json'
const FAULTS = Object.values(FAULT_FORMS)
  .map(({ form }) => form)
  .join(', ')
const SIZE = 'is not a number of nodes: a whole number, 1 to 10000000'

/** What a run is given, by option: value, then complaint. Runs have 9 nodes unless they say otherwise. */
const BAD: Record<string, [value: string, complaint: string][]> = {
  '--nodes': [
    ['0', `--nodes: "0" ${SIZE}`],
    ['-3', `--nodes: "-3" ${SIZE}`],
    ['2.5', `--nodes: "2.5" ${SIZE}`],
    ['many', `--nodes: "many" ${SIZE}`],
    ['3,4', `--nodes: "3,4" ${SIZE}`],
    ['10000001', `--nodes: "10000001" ${SIZE}`],
    ['--json', `--nodes: "--json" ${SIZE}`],
  ],
  '--entries': [
    ['0', '--entries: "0" is not a number of entries: a whole number, 1 or more'],
    ['1e3', '--entries: "1e3" is not a number of entries: a whole number, 1 or more'],
    ['-5', '--entries: "-5" is not a number of entries: a whole number, 1 or more'],
  ],
  '--warmup': [
    ['-1', '--warmup: "-1" is not a number of entries: a whole number, 0 or more'],
    ['some', '--warmup: "some" is not a number of entries: a whole number, 0 or more'],
    ['1000', '--warmup: "1000" leaves none of 1000 entries to count'],
  ],
  '--seed': [
    ['x', '--seed: "x" is not a seed: a whole number, 0 or more'],
    ['-1', '--seed: "-1" is not a seed: a whole number, 0 or more'],
    ['1.5', '--seed: "1.5" is not a seed: a whole number, 0 or more'],
    ['9007199254740992', '--seed: "9007199254740992" is not a seed: a whole number, 0 or more'],
  ],
  '--inside': [
    ['1', `--inside: "1" is not one of ${LAWS}`],
    ['gauss:1', `--inside: "gauss:1" is not one of ${LAWS}`],
    ['constant:', `--inside: "constant:" is not one of ${LAWS}`],
    ['constant:0', '--inside constant:0: "0" is not a duration: a number, more than 0'],
    ['constant:1e999', '--inside constant:1e999: "1e999" is not a duration: a number, more than 0'],
    ['uniform:2', '--inside: "uniform:2" is not of the form uniform:LOW,HIGH'],
    ['uniform:1,2,3', '--inside: "uniform:1,2,3" is not of the form uniform:LOW,HIGH'],
    ['uniform:-1,1', '--inside uniform:-1,1: "-1" is not a duration: a number, 0 or more'],
    ['uniform:2,1', '--inside uniform:2,1: "1" is not a duration longer than 2: a number, more than 2'],
    ['exponential:0', '--inside exponential:0: "0" is not a mean duration: a number, more than 0'],
  ],
  '--latency': [
    ['1', `--latency: "1" is not one of ${LAWS}, ${PLACES}, FILE.json`],
    ['fixed:1', `--latency: "fixed:1" is not one of ${LAWS}, ${PLACES}, FILE.json`],
    ['constant:0', '--latency constant:0: "0" is not a duration: a number, more than 0'],
    ['uniform:3', '--latency: "uniform:3" is not of the form uniform:LOW,HIGH'],
    ['exponential:x', '--latency exponential:x: "x" is not a mean duration: a number, more than 0'],
  ],
  '--channels': [['lifo', '--channels: "lifo" is not one of fifo, unordered']],
  '--load': [
    ['busy', `--load: "busy" is not one of ${LOADS}`],
    ['light:1', `--load: "light:1" is not one of ${LOADS}`],
    ['poisson', `--load: "poisson" is not one of ${LOADS}`],
    ['poisson:', `--load: "poisson:" is not one of ${LOADS}`],
    ['poisson:0', '--load poisson:0: "0" is not a rate of arrivals: a number, more than 0'],
    ['closed:x', '--load closed:x: "x" is not a time to think: a number, more than 0'],
    ['closed:gauss:1', `--load closed:gauss:1: "gauss:1" is not one of ${LAWS}`],
    ['hot:', `--load: "hot:" is not one of ${LOADS}`],
    ['hot:1,x', '--load hot:1,x: "x" is not a weight: a number, 0 or more'],
    ['hot:0', '--load hot:0: "0" is not weights of which one is more than 0'],
    [
      'hot:1,2,3,4,5,6,7,8,9,10',
      '--load hot:1,2,3,4,5,6,7,8,9,10: "1,2,3,4,5,6,7,8,9,10" is not at most one weight per node: there are 9 nodes',
    ],
    ['script:', `--load: "script:" is not one of ${LOADS}`],
  ],
  '--set': [
    ['savereplies', '--set: "savereplies" is not of the form NAME=VALUE'],
    ['=true', '--set: "=true" is not of the form NAME=VALUE'],
    ['thrift=true', '--set thrift=true: "thrift" is not an option of lamport, which has savereplies'],
    ['savereplies=yes', '--set savereplies=yes: "yes" is not a value of savereplies: true or false'],
  ],
  '--fault': [
    ['explode:1', `--fault: "explode:1" is not a fault: ${FAULTS}`],
    ['drop', `--fault: "drop" is not a fault: ${FAULTS}`],
    ['drop:0', '--fault drop:0: "0" is not a probability: a number, more than 0, at most 1'],
    ['drop:1.5', '--fault drop:1.5: "1.5" is not a probability: a number, more than 0, at most 1'],
    ['duplicate:x', '--fault duplicate:x: "x" is not a probability: a number, more than 0, at most 1'],
    ['corrupt:-1', '--fault corrupt:-1: "-1" is not a probability: a number, more than 0, at most 1'],
    ['spike:0.1', '--fault: "spike:0.1" is not of the form spike:P,FACTOR'],
    ['spike:2,3', '--fault spike:2,3: "2" is not a probability: a number, more than 0, at most 1'],
    ['spike:0.1,0', '--fault spike:0.1,0: "0" is not the factor of a spike: a number, more than 0'],
    ['crash:9@1', '--fault crash:9@1: "9" is not a node: a whole number, 0 to 8'],
    ['crash:1', '--fault: "crash:1" is not of the form crash:NODE@T'],
    ['add:1@5', '--fault add:1@5: lamport has no rule for nodes that join'],
    ['unlink:1-2@5', '--fault unlink:1-2@5: lamport has no rule for channels that go away'],
    ['crash:1@soon', '--fault crash:1@soon: "soon" is not a time: a number, 0 or more'],
    ['restart:9@1', '--fault restart:9@1: "9" is not a node: a whole number, 0 to 8'],
    ['restart:1@1,memory', '--fault: "restart:1@1,memory" is not of the form restart:NODE@T[,amnesia]'],
    ['pause:1@5', '--fault: "pause:1@5" is not of the form pause:NODE@T-T2'],
    ['pause:9@5-6', '--fault pause:9@5-6: "9" is not a node: a whole number, 0 to 8'],
    [
      'pause:1@5-4',
      '--fault pause:1@5-4: "4" is not the end of an interval that begins at 5: a number, more than 5',
    ],
    ['cut:0@1-2', '--fault: "cut:0@1-2" is not of the form cut:A-B@T-T2 or cut:A>B@T-T2'],
    ['cut:0-9@1-2', '--fault cut:0-9@1-2: "9" is not a node: a whole number, 0 to 8'],
    ['cut:0-0@1-2', '--fault: "cut:0-0@1-2" is not a cut between two different nodes'],
    [
      'cut:0>1@2-2',
      '--fault cut:0>1@2-2: "2" is not the end of an interval that begins at 2: a number, more than 2',
    ],
    ['split:0,1@1-2', '--fault: "split:0,1@1-2" is not of the form split:0,1/2,3@T-T2'],
    ['split:0,1/1,2@1-2', '--fault: "split:0,1/1,2@1-2" is not a split: a node stands in two groups'],
    ['split:0/9@1-2', '--fault split:0/9@1-2: "9" is not a node: a whole number, 0 to 8'],
    ['split:0,/1@1-2', '--fault split:0,/1@1-2: "" is not a node: a whole number, 0 to 8'],
    [
      'split:0/1@2-1',
      '--fault split:0/1@2-1: "1" is not the end of an interval that begins at 2: a number, more than 2',
    ],
  ],
}

describe.each(Object.entries(BAD))('%s', (option, rows) => {
  test.each(rows)('%s', (value, complaint) => expectRefusal(`simulate lamport ${option} ${value}`, complaint))
})

describe('topologies and quorums', () => {
  test.each([
    ['raymond --topology torus', `--topology: "torus" is not one of ${GRAPHS}`],
    ['raymond --topology graph.txt', `--topology: "graph.txt" is not one of ${GRAPHS}`],
    ['raymond --topology ring:3', `--topology: "ring:3" is not one of ${GRAPHS}`],
    [
      'raymond --topology tree:0',
      '--topology tree:0: "0" is not the arity of a tree: a whole number, 1 or more',
    ],
    ['raymond --topology tree:', '--topology tree: "" is not the arity of a tree: a whole number, 1 or more'],
    [
      'raymond --topology random:3',
      '--topology random:3: "3" is not a number of edges: a whole number, 8 to 36',
    ],
    [
      'raymond --topology random:99',
      '--topology random:99: "99" is not a number of edges: a whole number, 8 to 36',
    ],
    [
      'lamport --topology ring',
      '--topology: ring cannot carry lamport: it needs a channel between every two nodes',
    ],
    [
      'maekawa --quorum nobody',
      '--quorum: "nobody" is not one of majority, grid, projective, tree, k-majority, k-singleton, disjoint, FILE.json',
    ],
    [
      'lamport --priorities 1=0.1',
      '--priorities 1=0.1: lamport knows no priorities, so no request can be urgent',
    ],
    [
      'ricart-agrawala --priorities 1=0.1',
      '--priorities 1=0.1: all requests of ricart-agrawala are equal while its option priority is 0: set priority=P',
    ],
    ['raymond --k 2', '--k: raymond lets one in at a time, so there is no k'],
    ['raymond-k --k 10', '--k: "10" is not a number of nodes inside together: a whole number, 1 to 9'],
    ['raymond-k --k none', '--k: "none" is not a number of nodes inside together: a whole number, 1 to 9'],
    [
      'kakugawa --quorum k-majority --nodes 3',
      '--quorum: "k-majority" needs room for 2 sets of 2 that do not meet: 3 nodes are too few',
    ],
    ['lamport --quorum grid', '--quorum grid: lamport asks no quorums, so there is nothing to choose'],
    // Both are given; the complaint stands under the one that is wrong.
    [
      'maekawa --quorum grid --topology line',
      '--topology: line cannot carry maekawa: it needs a channel between every two nodes',
    ],
    [
      'lamport --quorum grid --topology complete',
      '--quorum grid: lamport asks no quorums, so there is nothing to choose',
    ],
  ])('simulate %s', (line, complaint) => expectRefusal(`simulate ${line}`, complaint))
})

describe('compare reads all of its lists before it runs anything', () => {
  test.each([
    ['--nodes 3,x', `--nodes: "x" ${SIZE}`],
    ['--nodes 3,,4', `--nodes: "" ${SIZE}`],
    ['--load heavy --load busy', `--load: "busy" is not one of ${LOADS}`],
    ['--fault crash:5@1 --nodes 9,5', '--fault crash:5@1: "5" is not a node: a whole number, 0 to 4'],
    ['--entries none', '--entries: "none" is not a number of entries: a whole number, 1 or more'],
  ])('compare lamport %s', (line, complaint) => expectRefusal(`compare lamport ${line}`, complaint))
})

describe('several values of one option: the wrong one is told', () => {
  test.each([
    [
      'simulate lamport --fault drop:0.1 --fault crash:12@1',
      '--fault crash:12@1: "12" is not a node: a whole number, 0 to 8',
    ],
    ['simulate lamport --entries 10 --warmup 10', '--warmup: "10" leaves none of 10 entries to count'],
    ['simulate naimi-trehel --set a=1', '--set a=1: "a" is not an option of naimi-trehel, which has none'],
  ])('%s', expectRefusal)
})
