import { messagesRows, messagesSummary } from "../../audit/check-rows.ts";
import { type Check, fail, ok, warn } from "../finding.ts";

/** Whether the stored text of sessions is as it was written. Reads all of it: for `--deep` alone. */
export const messages: Check = {
	id: "messages",
	async look({ messages: check }) {
		const result = await check();
		if (!result) return ok("none are stored yet, or none with a hash");
		if (!result.ok) {
			const [what = "", ...examples] = messagesRows(result).slice(0, -1);
			return fail([what, ...examples].join("; "), "compare them with a backup: parley restore --verify FILE");
		}
		const { sessions, all_sessions: all } = result;
		if (sessions === all) return ok(`whole: ${messagesSummary(result)}`);
		return warn(
			`whole as far as they were checked: ${messagesSummary(result)}`,
			"parley audit --verify checks all of them, without a time limit",
		);
	},
};
