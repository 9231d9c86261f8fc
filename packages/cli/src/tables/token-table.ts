import type { MethodResult } from "@parley/protocol";
import { tableRows } from "../text/columns.ts";
import type { Look } from "../text/styles.ts";
import { timeAgo } from "../text/time-ago.ts";
import { visibleLine } from "../text/visible.ts";
import { untilWords } from "../tokens/token-words.ts";

type Token = MethodResult<"list_tokens">["tokens"][number];

/** Characters of an id that tell tokens apart. */
const shownId = 8;

/** The tokens in rows: those that count first, what has ended below. `now` is in milliseconds since the epoch. */
export function tokenTable(tokens: readonly Token[], look: Look, now: number): string[] {
	const sorted = [...tokens].sort((a, b) => Number(b.status === "active") - Number(a.status === "active"));
	const cells = sorted.map((token) => cellsOf(token, now));
	const head = ["ID", "KIND", "NAME", "FOR", "LAST USED", "STATUS"];
	return tableRows({ rows: [head, ...cells], optional: [3, 4], elastic: 2 }, look);
}

function cellsOf(token: Token, now: number): string[] {
	const { id, kind, name, platform, tenants, sessions, last_used_at } = token;
	const where = tenants ? [platform, ...tenants].join(" ") : platform;
	const scope =
		where ?? (sessions ? `${sessions.length} sessions` : kind === "observer" ? "all sessions" : "");
	const used = last_used_at === undefined ? "never" : timeAgo(Date.parse(last_used_at), now);
	const status = token.status === "active" ? untilWords(token, now) : token.status;
	return [id.slice(0, shownId), kind, name, scope, used, status].map(visibleLine);
}
