import { commandWords } from "./grammar.ts";

const examples = commandWords.map(({ word, example, meaning }) => ({
	example: `${word}: ${example}`,
	meaning,
}));
const width = Math.max(...examples.map(({ example }) => example.length));
const table = examples.map(({ example, meaning }) => `  ${example.padEnd(width)}  ${meaning}`).join("\n");

/** The text of `parley help offline`: every command of the offline model with an example, and the rules. */
export const offlineHelp = `The offline model: a small assistant inside Parley

It needs no key and no network, and it is no language model: it carries out
commands that you write, always in the same way.

${table}

Rules
  - A line of your message is a command when it starts with one of these words
    (in lower case) and a colon; spaces before it do not matter. Other lines
    are ignored. A message without any command gets a short plain answer.
  - Commands are carried out from the first to the last. What a tool returned
    is repeated in the next reply.
  - "& " before a command that calls a tool puts the call into the same reply
    as the call before it, so that both are asked for at once:
      run: make build
      & run: make lint
  - In the texts of "write:", "edit:", "review:" and "spawn:", \\n is a new
    line and \\\\ is a backslash.
  - "plan:", "review:", "spawn:" and "wait:" are for the descriptions of tasks,
    which have these tools; "- " before a step says that it is left out.
  - "run:", "read:", "write:" and "edit:" mean whatever runs, reads, writes and
    edits in this session, also where it is called bash, read, write and edit.
  - "list:" takes a pattern or a directory. In "git:", quotes hold words
    together.
  - Usage is counted as one token for every four characters. It costs nothing.
`;
