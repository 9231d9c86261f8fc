import type { MethodResult } from "@parley/protocol";
import { timeLeft } from "../text/time-ago.ts";
import { visibleLine } from "../text/visible.ts";

type Token = MethodResult<"list_tokens">["tokens"][number];

/** How long a token still counts. */
export function untilWords({ expires_at }: Pick<Token, "expires_at">, now: number): string {
	return expires_at === undefined ? "until revoked" : `for ${timeLeft(Date.parse(expires_at) - now)} more`;
}

/** What stands beside the text of a token that has just been made. */
export function madeWords(info: Token, now: number): string {
	const named = visibleLine(`${info.kind} token ${info.name} (${info.id.slice(0, 8)})`);
	const again = isOwn(info)
		? "It stands in the data directory, where programs of this machine find it."
		: "Nobody can show it again.";
	return [
		`${named}: it counts ${untilWords(info, now)}. ${again}`,
		"Clients send it as `Authorization: Bearer TOKEN`; parley takes it from PARLEY_TOKEN.",
	].join("\n");
}

/** The one of the data directory. */
function isOwn({ kind, name }: Token): boolean {
	return kind === "operator" && name === "operator";
}
