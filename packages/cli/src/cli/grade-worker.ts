/** The thread in which a student's text is checked. */
import { parentPort, workerData } from 'node:worker_threads'
import { exerciseNamed } from '@turnwise/workshop/exercises'
import { grade } from '@turnwise/workshop/grade'
import colours from 'picocolors'
import { readSource } from './algorithm-sources.ts'
import type { GradeTask } from './grade-thread.ts'
import { loadModule } from './own-file.ts'
import { gradeAnswer } from './reporters/grade-report.ts'

const { slug, text, columns, colours: isColoured } = workerData as GradeTask
const exercise = exerciseNamed(slug)
const graded = await grade(exercise, text, { read: readSource, load: loadModule })
parentPort?.postMessage(gradeAnswer(exercise, graded, { columns, paint: colours.createColors(isColoured) }))
