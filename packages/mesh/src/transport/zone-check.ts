import { isZone, ZONE_RULE } from '../protocol/zones.ts'
import { type Check, shown } from './checks.ts'

export const zone: Check<string> = (value) => (isZone(value) ? null : `${shown(value)} is not ${ZONE_RULE}`)
