// Every interleaving of Lamport's algorithm with two nodes; then where channels do not keep order, and what goes wrong there.
import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import { check } from '@turnwise/checker'
import { renderDiagram } from '@turnwise/core/trace/diagram'

const lamport = algorithmNamed('lamport')

const { holds, states } = check(lamport, { nodes: 2, requests: 2 })
console.log(`${states} states, ${holds ? 'all properties hold' : 'something fails'}`)

const { failure, counterexample } = check(lamport, { nodes: 2, channels: 'unordered' })
console.log(`${failure.name} fails: ${failure.reason}`)
console.log(renderDiagram(counterexample))
