import { defined } from "@parley/base/defined";
import { Command, Option } from "commander";
import { type AddressFlags, addAddressFlags } from "../../client/gateway-address.ts";
import { withGateway } from "../../client/with-gateway.ts";
import type { Io } from "../../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../../command-line/output.ts";
import { readLimit } from "../../command-line/read-number.ts";
import { feedbackHelp, feedbackMessages } from "../../texts/commands/sessions/feedback.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";

interface FeedbackFlags extends AddressFlags {
	readonly rating?: "good" | "bad";
	readonly session?: string;
	readonly limit: number;
	readonly json?: boolean;
}

export function feedbackCommand(io: Io): Command {
	const command = new Command("feedback")
		.description(feedbackHelp.description)
		.addOption(new Option("--rating <rating>", feedbackHelp.rating).choices(["good", "bad"]))
		.option("--session <id>", feedbackHelp.session)
		.option("--limit <n>", feedbackHelp.limit, readLimit, 50)
		.option("--json", sharedHelp.json)
		.addHelpText("after", feedbackHelp.notes.trimEnd());
	return addAddressFlags(command).action(async (flags: FeedbackFlags) => {
		const { rating, session, limit } = flags;
		const requested = {
			...defined({ rating, session_id: session }),
			limit,
		};
		const { feedback } = await withGateway(flags, io, (client) => client.request("list_feedback", requested));
		if (flags.json) return printJson(feedback, io);
		if (feedback.length === 0) return printRows([feedbackMessages.noFeedback], io);
		const [{ systemClock }, { feedbackRows }] = await Promise.all([
			import("@parley/base"),
			import("../../tables/skill-and-memory-tables.ts"),
		]);
		printRows(feedbackRows(feedback, systemClock.now(), outputFormat(io)), io);
	});
}
