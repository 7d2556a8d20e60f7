import { catalogue } from '@turnwise/algorithms/catalogue'
import type { RoomProps } from '../rooms.ts'

export default function Theatre({ query }: RoomProps) {
  const name = query['algorithm'] ?? 'ricart-agrawala'
  const algorithm = catalogue.find(({ facts }) => facts.name === name)
  return (
    <main>
      <h1>{algorithm?.facts.title ?? name}</h1>
      <p>{algorithm?.facts.idea}</p>
    </main>
  )
}
