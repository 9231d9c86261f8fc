import { Command } from "commander";
import { type AddressFlags, addAddressFlags } from "../../client/gateway-address.ts";
import { withGateway } from "../../client/with-gateway.ts";
import type { Io } from "../../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../../command-line/output.ts";
import { UsageError } from "../../command-line/usage.ts";
import type { AnswerFlags } from "../../questions/answer-question.ts";
import { answerHelp, answerMessages } from "../../texts/commands/sessions/answer.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";

type Flags = AddressFlags & AnswerFlags & { readonly json?: boolean };

export function answerCommand(io: Io): Command {
	const command = new Command("answer")
		.description(answerHelp.description)
		.argument("[id]", answerHelp.id)
		.option("--value <text>", answerHelp.value)
		.option("--deny", answerHelp.deny)
		.option("--reason <text>", answerHelp.reason)
		.option("--json", sharedHelp.json)
		.addHelpText("after", answerHelp.notes.trimEnd());
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
		throw new UsageError(answerMessages.idMissing);
	}
	const listed = await withGateway(flags, io, (client) => client.request("list_prompts", { limit: 1000 }));
	if (flags.json) return printJson(listed.prompts, io);
	const [{ systemClock }, { openQuestionRows }] = await Promise.all([
		import("@parley/base"),
		import("../../questions/question-rows.ts"),
	]);
	printRows(openQuestionRows(listed.prompts, systemClock.now(), outputFormat(io)), io);
}
