/** The documents that `facts.sources` name, in full. */
const REFERENCES: Readonly<Record<string, string>> = {
  'bouabdallah-laforest-2000':
    'A. Bouabdallah, C. Laforest: A distributed token-based algorithm for the dynamic resource allocation problem. ACM ' +
    'SIGOPS Operating Systems Review 34(3), 2000',
  'dice-marathe-shavit-2012':
    'D. Dice, V. J. Marathe, N. Shavit: Lock cohorting: a general technique for designing NUMA locks. ACM SIGPLAN Symposium ' +
    'on Principles and Practice of Parallel Programming, 2012',
  'havender-1968':
    'J. W. Havender: Avoiding deadlock in multitasking systems. IBM Systems Journal 7(2), 1968',
  'helary-plouzeau-raynal-1988':
    'J.-M. Hélary, N. Plouzeau, M. Raynal: A distributed algorithm for mutual exclusion in an arbitrary network. ' +
    'The Computer Journal 31(4), 1988',
  'kessler-2024':
    'C. Kessler: TDDD25 Distributed systems, lecture on mutual exclusion and election. Linköping University, 2024',
  'kanrar-chaki-2010':
    'S. Kanrar, N. Chaki: FAPP: a new fairness algorithm for priority process mutual exclusion in distributed systems. ' +
    'Journal of Networks 5(1), 2010',
  'lejeune-arantes-sopena-sens-2012':
    'J. Lejeune, L. Arantes, J. Sopena, P. Sens: Service level agreement for distributed mutual exclusion in cloud ' +
    'computing. 12th IEEE/ACM International Symposium on Cluster, Cloud and Grid Computing, 2012',
  'li-hudak-1989': 'K. Li, P. Hudak: Memory coherence in shared virtual memory systems. ACM TOCS 7(4), 1989',
  'naimi-trehel-1987':
    'M. Naimi, M. Trehel: An improvement of the log(n) distributed algorithm for mutual exclusion. 7th International ' +
    'Conference on Distributed Computing Systems, 1987',
  'ricart-agrawala-1981':
    'G. Ricart, A. K. Agrawala: An optimal algorithm for mutual exclusion in computer networks. CACM 24(1), 1981',
  'sanders-1987':
    'B. A. Sanders: The information structure of distributed mutual exclusion algorithms. ACM TOCS 5(3), 1987',
  'sopena-legond-aubry-arantes-sens-2007':
    'J. Sopena, F. Legond-Aubry, L. Arantes, P. Sens: A composition approach to mutual exclusion algorithms for grid ' +
    'applications. International Conference on Parallel Processing, 2007',
  'velazquez-1993':
    'M. G. Velazquez: A survey of distributed mutual exclusion algorithms. Technical report CS-93-116, Colorado State ' +
    'University, 1993',
}

/** The full citation of a source such as `ricart-agrawala-1981 §2`. A source that is not listed here stays as it is. */
export function citation(source: string): string {
  const [, key, place] = /^(\S+)(.*)$/.exec(source) ?? []
  const full = key === undefined ? undefined : REFERENCES[key]
  if (full === undefined) return source
  return place === undefined || place === '' ? full : `${full},${place}`
}
