import type { Exercise } from '@turnwise/workshop/exercise'
import { type Grade, type Graded, verdict } from '@turnwise/workshop/grade'
import { counted, type Terminal } from '../../terminal/terminal.ts'
import type { GradeAnswer, GradeJson } from '../grade-thread.ts'
import { drawn, pathOf } from './check-report.ts'

/** A terminal as a thread knows it. */
type Paper = Pick<Terminal, 'paint' | 'columns'>

export function gradeAnswer({ slug }: Exercise, grade: Grade, paper: Paper): GradeAnswer {
  return { json: gradeJson(slug, grade), text: gradeText(slug, grade, paper) }
}

function gradeJson(exercise: string, grade: Grade): GradeJson {
  const failure = grade.is === 'failed' ? grade.failed.checked.failure : null
  const path = grade.is === 'failed' && failure !== null ? pathOf(grade.failed.instance, failure) : null
  return {
    exercise,
    passed: grade.is === 'passed',
    verdict: verdict(grade),
    worlds: worldsOf(grade).map(({ instance, checked }) => ({
      nodes: instance.setup.nodes,
      requests: instance.requests ?? 'any',
      states: checked.states,
    })),
    failure: failure === null ? null : { property: failure.name, reason: failure.reason, path: path ?? [] },
    place: grade.is === 'faulty' ? grade.why.place : null,
  }
}

function gradeText(slug: string, grade: Grade, paper: Paper): string {
  const { paint } = paper
  const head = `${paint.bold(slug)}: ${grade.is === 'passed' ? paint.green(verdict(grade)) : paint.red(verdict(grade))}`
  const failure = grade.is === 'failed' ? grade.failed.checked.failure : null
  const run = grade.is === 'failed' && failure !== null ? drawn(grade.failed.instance, failure, paper) : []
  return [head, ...worldsOf(grade).map(worldLine), ...(run.length === 0 ? [] : ['', ...run])].join('\n')
}

function worldsOf(grade: Grade): readonly Graded[] {
  return grade.is === 'faulty' ? [] : grade.worlds
}

function worldLine({ instance, checked }: Graded): string {
  const { setup, requests, budgets } = instance
  const asked = requests === null ? 'any number of requests' : `${counted(requests, 'request')} each`
  const crashes = budgets.crashes === 0 ? '' : `, up to ${counted(budgets.crashes, 'crash')}`
  const outcome = checked.holds ? 'holds' : checked.failure === null ? 'open' : 'FAILS'
  return `  ${counted(setup.nodes, 'node')}, ${asked}${crashes}: ${outcome}, ${counted(checked.states, 'state')}`
}
