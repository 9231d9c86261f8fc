import { Command } from "commander";
import { type AddressFlags, addAddressFlags } from "../../client/gateway-address.ts";
import { withGateway } from "../../client/with-gateway.ts";
import type { Io } from "../../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../../command-line/output.ts";
import { UsageError } from "../../command-line/usage.ts";
import type { AnswerFlags } from "../../questions/answer-question.ts";

const notes = `
Without an ID, it lists the open questions of all sessions. The ID is the
six characters in that list, or the complete token.

At a terminal, the question is shown with its details, and a password is not
echoed. Without a terminal, --value answers: yes, no or session for an approval,
the text, or the numbers or values of options, separated by commas. Calls that
always require approval need the complete word yes.

Examples:
  parley answer
  parley answer 7fd1k2
  parley answer 7fd1k2 --value yes
  parley answer 7fd1k2 --deny --reason "not on a Friday"

Exit code: 0 if the question was answered; 1 if not; 2 for an invalid command
line; 130 after Ctrl-C.
`;

type Flags = AddressFlags & AnswerFlags & { readonly json?: boolean };

export function answerCommand(io: Io): Command {
	const command = new Command("answer")
		.description("list open approvals and questions, and answer one")
		.argument("[id]", "id of the question")
		.option("--value <text>", "the answer")
		.option("--deny", "deny the approval, or decline the question")
		.option("--reason <text>", "with --deny: reason for the model")
		.option("--json", "print JSON")
		.addHelpText("after", notes.trimEnd());
	return addAddressFlags(command).action(async (id: string | undefined, flags: Flags) => {
		if (id === undefined) return list(flags, io);
		const { answerQuestion } = await import("../../questions/answer-question.ts");
		const answered = await withGateway(flags, io, (client) => answerQuestion(client, id, flags, io));
		io.exitCode = answered.exitCode;
		if (flags.json && answered.result) return printJson(answered.result, io);
		printRows(answered.rows, io);
	});
}

async function list(flags: Flags, io: Io): Promise<void> {
	if (flags.value !== undefined || flags.deny || flags.reason !== undefined) {
		throw new UsageError("give the id of the question; `parley answer` lists the ids");
	}
	const listed = await withGateway(flags, io, (client) => client.request("list_prompts", { limit: 1000 }));
	if (flags.json) return printJson(listed.prompts, io);
	const [{ systemClock }, { openQuestionRows }] = await Promise.all([
		import("@parley/base"),
		import("../../questions/question-rows.ts"),
	]);
	printRows(openQuestionRows(listed.prompts, systemClock.now(), outputFormat(io)), io);
}
