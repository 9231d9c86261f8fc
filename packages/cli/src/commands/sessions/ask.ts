import { Command, Option } from "commander";
import type { AskFlags } from "../../ask/ask.ts";
import { addAddressFlags } from "../../client/gateway-address.ts";
import type { Io } from "../../command-line/io.ts";
import { addSessionFlags } from "../../command-line/session-flags.ts";

const notes = `
The answer goes to stdout, everything else to stderr: tool calls, questions, and
"session: ID", which --session continues. Without a terminal, calls that require
approval are denied, except with -y.

Text from a pipe or a file on stdin is appended to the message. Use < /dev/null
in a loop that reads stdin itself.

Examples:
  git diff | parley ask "Review this change"
  parley ask -c "And the tests?"
  parley ask -p "Which Node.js does this project need?" > answer.txt

Images from --file are shown to the model; other files are stored in the
working directory of the session, below attachments/.

--json, or --output-format stream, writes one JSON object per line instead: each
event frame of the session as the gateway sends it, and at the end
{"session_id", "content", "error", "model", "usage", "cost_usd"}; the last three
are null if no model was called. --output-format json writes only that object.

Exit code: 0 if the run succeeded; 3 if it succeeded but a question or an
approval could not be answered; 1 if it failed; 2 for an invalid command line;
130 after Ctrl-C.
`;

const addTo = (path: string, before: readonly string[] = []): string[] => [...before, path];

export function askCommand(io: Io): Command {
	const command = new Command("ask")
		.description("send one message and print the answer")
		.argument("<message...>", "the message; - reads it from stdin")
		.option("-y, --yes", "approve tool calls, except calls that always require approval")
		.option("-f, --file <path>", "attach a file; may be repeated", addTo)
		.option("-p, --print", "print only the answer, and ask no questions")
		.addOption(
			new Option("--output-format <format>", "text (default), json or stream").choices([
				"text",
				"json",
				"stream",
			]),
		)
		.addOption(
			new Option("--json", "print each event as one line of JSON").conflicts(["outputFormat", "print"]),
		)
		.addHelpText("after", notes.trimEnd());
	return addAddressFlags(addSessionFlags(command)).action(async (words: string[], flags: AskFlags) => {
		const { ask } = await import("../../ask/ask.ts");
		io.exitCode = await ask(words.join(" "), flags, io);
	});
}
