/** Every kind of trouble that an algorithm may claim to survive, early and late, in the words of `--fault`; for five nodes. */
export const TROUBLES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  spike: [['spike:0.2,10']],
  duplicate: [['duplicate:0.3']],
  drop: [['drop:0.1']],
  pause: [['pause:1@5-30']],
  cut: [['cut:0-1@5-25']],
  split: [['split:0,1/2,3@8-40']],
  crash: [['crash:0@7'], ['crash:2@11.3'], ['crash:4@9'], ['crash:1@20', 'crash:3@60']],
  restart: [
    ['crash:0@7', 'restart:0@40'],
    ['crash:0@7', 'restart:0@40,amnesia'],
    ['crash:2@11.3', 'restart:2@30,amnesia'],
    ['crash:4@9', 'restart:4@60', 'crash:1@90', 'restart:1@130,amnesia'],
  ],
  add: [
    ['add:4@10,via:0', 'add:3@25,via:1'],
    ['add:3@10,via:0', 'add:4@10,via:1'],
  ],
  remove: [['remove:1@10', 'remove:3@30'], ['remove:0@5'], ['add:4@3,via:2', 'remove:2@20']],
  link: [['unlink:0-1@9', 'link:0-1@40']],
  unlink: [['unlink:1-2@9', 'link:1-2@30', 'unlink:0-1@50']],
}
