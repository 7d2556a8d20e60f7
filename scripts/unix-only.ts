/** Tests of what needs a Unix system. On Windows they are left out, and the run begins with a line that says so. */
export const UNIX_ONLY = [
  // Daemons with control sockets, and commands that a lock guards.
  'packages/cli/test/agent/**',
  'packages/cli/test/cli/{operate,up,start-up}.test.ts',
  // Processes that are stopped, and go on.
  'torture/test/{command,referee}.test.ts',
  'packages/cli/test/examples.test.ts',
  'packages/mesh/test/processes/**',
  'packages/mesh/test/daemon/**',
  'packages/lab/test/browser/live.test.ts',
  // The row of sockets that is a lock elsewhere; pipe-lock.test.ts has the other.
  'packages/mesh/test/disk/{state-directory,owner}.test.ts',
  'packages/mesh/test/register/directory.test.ts',
]
