/** The answers, apart from the exercises: neither the page nor the command line has them. */
export const answers: Readonly<Record<string, string>> = {
  'the-desk':
    'The coordinator serves the queue at every request, also while a node is inside. It must do so only if nobody is: `if (desk.holder === null)`.',
  'tie-break':
    'Two nodes that ask at the same time choose the same number, and each replies to the other. Among equal numbers the smaller node has priority: both compare the same two pairs, so exactly one of them keeps its reply back. `precedes({ time: node.ours, node: here.self }, { time: number, node: from })`.',
  'hear-from-all':
    'An earlier request may still be on its way. A node enters when it has heard something later from every other node; since channels keep order, no earlier request of that node can follow. `if (!node.heard.every(Boolean)) return` before it looks at its queue.',
  'waiting-root':
    'There are three kinds of root: with an idle token, inside, and waiting. Only the first sends the token. The other two note the origin as NEXT, and send the token when they leave: `else if (node.requesting) node.next = origin`.',
  'ask-again':
    'A node that receives the privilege and passes it on at once does not ask for it back, although others wait in its queue. MAKE_REQUEST follows every ASSIGN_PRIVILEGE: `makeRequest(node, here)` at the end of `privilege`.',
  'idle-token':
    'When the holder leaves, it compares the requests that it has noted with those that the token has served, and puts every node with a newer request into the queue of the token.',
  'lost-token':
    'The token of the earlier term is void, since the election found that nobody holds it. A node that the announcement of a later term has passed ignores it: `if (term < node.term) return`.',
  'missing-fail':
    'A newcomer that is smaller than the granted request, but not the smallest in the queue, must wait and is not told so. It keeps the grants that it has. It must get a FAIL: `if (node.queue[0] !== request) fail(node, here, request)`.',
  structure:
    'Nodes 0 and 1 inform {0, 2} and {1}: the sets do not meet, and node 0 does not ask node 1. It is mended if node 1 informs and asks node 2, or if nodes 0 and 1 ask each other. What a node informs it must have asked.',
  'from-scratch': 'Any text that holds. The shortest is the central coordinator, in some forty lines.',
}
