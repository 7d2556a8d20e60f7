import { isElection } from '@turnwise/core/algorithm'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { readTrace, type Trace } from '@turnwise/core/trace/trace'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { electionConfig } from '@turnwise/simulator/election-configuration'
import { useState } from 'react'
import { record } from '../../run/recording.ts'
import { retell } from '../../run/retold.ts'
import { MOST_NODES_SHOWN, type WorldSpec } from '../../run/spec.ts'
import { protocolOf } from '../check/question.ts'
import type { RoomProps } from '../rooms.ts'
import { Recorded } from './recorded.tsx'
import type { Run } from './use-run.ts'

/** A trace that `turnwise simulate --trace`, `check --trace` or a mesh has written. What is in a file is in no address. */
export function OpenedFile(props: RoomProps) {
  const [opened, setOpened] = useState<{ name: string; run: Run } | null>(null)
  const [complaint, setComplaint] = useState<string | null>(null)
  const open = async (file: File | undefined) => {
    if (file === undefined) return
    try {
      setOpened({ name: file.name, run: openedRun(readTrace(await file.text())) })
      setComplaint(null)
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error
      setComplaint(`${file.name}: ${error.message}`)
    }
  }
  if (opened !== null) {
    const { nodes } = opened.run.recording.header
    return (
      <Recorded
        key={opened.name}
        {...props}
        run={opened.run}
        about={
          <>
            <h1>{opened.name}</h1>
            <p>
              {opened.run.spec.algorithm}, {nodes} nodes, {opened.run.recording.happenings.length} events.
            </p>
          </>
        }
      />
    )
  }
  return (
    <main
      className="theatre opening"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        void open(event.dataTransfer.files[0])
      }}
    >
      <h1>Open a trace</h1>
      <p>
        A file that <code>turnwise simulate --trace</code>, <code>turnwise check --trace</code> or a mesh with{' '}
        <code>record</code> has written. It stays on this machine.
      </p>
      <label>
        Trace file <input type="file" onChange={(event) => void open(event.target.files?.[0])} />
      </label>
      {complaint !== null && (
        <p className="complaint" role="alert">
          {complaint}
        </p>
      )}
      <p>
        <a href="#/theatre">Back to the theatre</a>
      </p>
    </main>
  )
}

function openedRun(trace: Trace): Run {
  const { header } = trace
  const { algorithm: name, nodes, settings } = header
  if (nodes > MOST_NODES_SHOWN) throw new InvalidInput(`nodes: at most ${MOST_NODES_SHOWN} can be drawn`)
  const algorithm = protocolOf({ algorithm: name })
  const word = (key: string) => (settings[key] === undefined ? {} : { [key]: String(settings[key]) })
  const wishes = { nodes, ...word('topology'), ...word('quorum'), ...word('structure') }
  const world: WorldSpec = isElection(algorithm)
    ? { is: 'election', config: electionConfig(algorithm, wishes) }
    : { is: 'exclusion', config: simulationConfig(algorithm, wishes) }
  return {
    spec: {
      algorithm: name,
      nodes,
      seed: header.seed,
      load: String(settings['load'] ?? 'hands'),
      entries: 0,
      latency: 'constant:1',
      inside: 'constant:1',
      fault: [],
      set: [],
    },
    hands: [],
    world,
    recording: record(retell(trace, algorithm, world.config.setup)),
    refused: [],
  }
}
