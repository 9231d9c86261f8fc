import { Command } from "commander";
import type { AskFlags } from "../../ask/ask.ts";
import { addAddressFlags } from "../../client/gateway-address.ts";
import type { Io } from "../../command-line/io.ts";
import { addSessionFlags } from "../../command-line/session-flags.ts";

const notes = `
The answer goes to stdout, everything else to stderr: tool calls, questions, and
"session: ID", with which --session goes on. Without a terminal nobody can be
asked: what needs approval is denied, except with -y.

Pictures that are sent with --file are shown to the model; other files are put
into the session's working directory, below attachments/.

--json writes one JSON object a line instead: every event frame of the session
as the gateway sends it, and at the end {"session_id", "content", "error",
"model", "usage", "cost_usd"}, the last three null where no model was asked.

Exit code: 0 when the run ended well; 3 when it did, but nobody could be asked
what it wanted to know or do; 1 when it failed; 2 for a command line that is
wrong; 130 after Ctrl-C.
`;

const addTo = (path: string, before: readonly string[] = []): string[] => [...before, path];

/** `parley ask`: one message, one answer. */
export function askCommand(io: Io): Command {
	const command = new Command("ask")
		.description("say one thing and print the answer")
		.argument("<message...>", "what to say; - reads it from stdin")
		.option("-y, --yes", "let it use its tools without asking; the gravest calls are still asked")
		.option("-f, --file <path>", "send a file with it; may be repeated", addTo)
		.option("--json", "print every event as JSON, one a line")
		.addHelpText("after", notes.trimEnd());
	return addAddressFlags(addSessionFlags(command)).action(async (words: string[], flags: AskFlags) => {
		const { ask } = await import("../../ask/ask.ts");
		io.exitCode = await ask(words.join(" "), flags, io);
	});
}
