/** The recipes of docs/locks.md, with the real schedulers: the timers of three processes fire, and one job runs for each fire time. */
import { Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { Cron as NestCron, ScheduleModule } from '@nestjs/schedule'
import { Cron } from 'croner'
import { createTask, type ScheduledTask } from 'node-cron'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { MeshNode } from '../../src/mesh.ts'
import { type Mesh, surfaceOf } from '../../src/surface.ts'
import { meshes } from '../meshes.ts'

const EVERY_SECOND = '* * * * * *'
/** Less than a second. Fire times are those of the schedule, however late a busy machine lets timers fire; half a second ahead is allowed. */
const SKEW = 500

let nodes: MeshNode[]
let all: Mesh[]

/** Of a busy machine. A mesh that has lost its lease refuses to say who is to run. */
const LEASE = 8000

beforeAll(async () => {
  nodes = await meshes(3, 'memory', undefined, LEASE)
  all = nodes.map(surfaceOf)
})

afterAll(() => Promise.all(nodes.map((node) => node.leave())))

/** Whether this process is the one that runs the job. */
type Once = (name: string, time: Date | number) => Promise<boolean>

/** Resolves when all have fired for one time, and no later time is still being decided: the meshes are about to leave. */
async function fired(
  start: (once: Once, told: (time: number, ran: boolean) => void) => () => unknown,
): Promise<readonly boolean[]> {
  const seen = new Map<number, boolean[]>()
  const deciding: Promise<unknown>[] = []
  const ends: (() => unknown)[] = []
  try {
    return await new Promise((resolve) => {
      const told = (time: number, ran: boolean) => {
        expect(time % 1000).toBe(0)
        const outcomes = [...(seen.get(time) ?? []), ran]
        seen.set(time, outcomes)
        if (outcomes.length === all.length) resolve(outcomes)
      }
      for (const mesh of all) {
        const once: Once = async (name, time) => {
          const decision = mesh.once(name, time, { skew: SKEW }, () => {})
          deciding.push(decision)
          return (await decision).ran
        }
        ends.push(start(once, told))
      }
    })
  } finally {
    for (const end of ends) await end()
    await Promise.all(deciding)
  }
}

/** A busy machine may miss some seconds. */
const LONG = 60_000

const ONE = [false, false, true]

test.concurrent('node-cron, inside its task', { timeout: LONG }, async () => {
  const outcomes = await fired((once, told) => {
    const task: ScheduledTask = createTask(EVERY_SECOND, async ({ date }) => {
      told(date.getTime(), await once('inside', date))
    })
    void task.start()
    return () => task.destroy()
  })
  expect(outcomes.toSorted()).toEqual(ONE)
})

test.concurrent('node-cron, as its run coordinator', { timeout: LONG }, async () => {
  const outcomes = await fired((once, told) => {
    const runCoordinator = {
      shouldRun: (key: string) => once(key.slice(0, -25), new Date(key.slice(-24))),
    }
    const options = { name: 'nightly', distributed: true, runCoordinator }
    const task = createTask(EVERY_SECOND, ({ date }) => told(date.getTime(), true), options)
    task.on('execution:skipped', ({ date }) => told(date.getTime(), false))
    void task.start()
    return () => task.destroy()
  })
  expect(outcomes.toSorted()).toEqual(ONE)
})

test.concurrent('croner', { timeout: LONG }, async () => {
  const outcomes = await fired((once, told) => {
    const cron = new Cron(EVERY_SECOND, async (self: Cron) => {
      const [date = new Date(0)] = self.previousRuns(1, new Date(Number(self.currentRun()) + SKEW))
      told(date.getTime(), await once('croner', date))
    })
    return () => cron.stop()
  })
  expect(outcomes.toSorted()).toEqual(ONE)
})

/** Decorators are called as functions: the compiler of the tests does not know those of TypeScript with their metadata. */
test.concurrent('@nestjs/schedule', { timeout: LONG }, async () => {
  const outcomes = await fired((once, told) => {
    class Reports {
      async nightly(): Promise<void> {
        const time = Math.round(Date.now() / 1000) * 1000
        told(time, await once('nest', time))
      }
    }
    const nightly = Object.getOwnPropertyDescriptor(Reports.prototype, 'nightly') as PropertyDescriptor
    NestCron(EVERY_SECOND)(Reports.prototype, 'nightly', nightly)
    Module({ imports: [ScheduleModule.forRoot()] })(Reports)
    const app = NestFactory.createApplicationContext(Reports, { logger: false })
    return async () => (await app).close()
  })
  expect(outcomes.toSorted()).toEqual(ONE)
})
