import { defined } from "@parley/base/defined";
import { Command, Option } from "commander";
import { type AddressFlags, addAddressFlags } from "../../client/gateway-address.ts";
import { withGateway } from "../../client/with-gateway.ts";
import type { Io } from "../../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../../command-line/output.ts";
import { readLimit } from "../../command-line/read-number.ts";

interface FeedbackFlags extends AddressFlags {
	readonly rating?: "good" | "bad";
	readonly session?: string;
	readonly limit: number;
	readonly json?: boolean;
}

const notes = `
Examples:
  parley feedback --rating bad
  parley feedback --session sess_4k2x --json
`;

export function feedbackCommand(io: Io): Command {
	const command = new Command("feedback")
		.description("list feedback about replies, newest first")
		.addOption(new Option("--rating <rating>", "only this rating").choices(["good", "bad"]))
		.option("--session <id>", "only replies of this session")
		.option("--limit <n>", "maximum number of ratings", readLimit, 50)
		.option("--json", "print JSON")
		.addHelpText("after", notes.trimEnd());
	return addAddressFlags(command).action(async (flags: FeedbackFlags) => {
		const { rating, session, limit } = flags;
		const requested = {
			...defined({ rating, session_id: session }),
			limit,
		};
		const { feedback } = await withGateway(flags, io, (client) => client.request("list_feedback", requested));
		if (flags.json) return printJson(feedback, io);
		if (feedback.length === 0) return printRows(["no feedback"], io);
		const [{ systemClock }, { feedbackRows }] = await Promise.all([
			import("@parley/base"),
			import("../../tables/skill-and-memory-tables.ts"),
		]);
		printRows(feedbackRows(feedback, systemClock.now(), outputFormat(io)), io);
	});
}
