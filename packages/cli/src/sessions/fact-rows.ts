import { formatCount, formatUsd } from "../text/amounts.ts";
import { alignColumns } from "../text/columns.ts";
import { localTime } from "../text/local-time.ts";
import type { Styles } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";
import type { SessionFacts } from "./find-session.ts";

/** What a conversation is called where nobody has named it. */
export function titleOf({ title }: Pick<SessionFacts, "title">): string {
	return visibleLine(title) || "(no title)";
}

/** `4 messages, 1,234 tokens read and 56 written, $0.0123`. */
export function figuresOf({ message_count, token_usage, cost_usd }: SessionFacts): string {
	const { input, output } = token_usage;
	const messages = `${formatCount(message_count)} ${message_count === 1 ? "message" : "messages"}`;
	return `${messages}, ${formatCount(input)} tokens read and ${formatCount(output)} written, ${formatUsd(cost_usd)}`;
}

/** The facts of a conversation in rows, its title first. */
export function factRows(session: SessionFacts, { bold, dim }: Styles): string[] {
	const facts = [
		["id", session.id],
		["state", session.state],
		["so far", figuresOf(session)],
		["opened", localTime(new Date(session.created_at))],
		["changed", localTime(new Date(session.updated_at))],
		["directory", session.root_dir],
		["agent", session.profile],
		...(session.external_key === undefined ? [] : [["key", session.external_key]]),
	];
	return [
		bold(titleOf(session)),
		...alignColumns(facts.map(([name = "", value = ""]) => [dim(name), visibleLine(value)])),
	];
}
