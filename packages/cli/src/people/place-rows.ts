import type { MethodResult } from "@parley/protocol";
import { formatBytes, formatUsd } from "../text/amounts.ts";
import type { Look } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";

type Place = MethodResult<"list_places">["places"][number];

/** Each channel with what was said of it. */
export function placeRows(places: readonly Place[], look: Look): string[] {
	if (places.length === 0) {
		return ["every channel works as all do; `parley places set` says how one works"];
	}
	return places.flatMap((place) => rowsOf(place, look));
}

function rowsOf({ place, profile, source }: Place, { columns, styles }: Look): string[] {
	const by = source === "operator" ? "set by the operator" : "configured";
	const words = wordsOf(profile).flatMap((row) => wrapText(visibleLine(row), Math.max(10, columns - 2)));
	return [
		...wrapText(`${visibleLine(place)}  (${by})`, columns).map(styles.bold),
		...(words.length > 0 ? words : ["as everywhere"]).map((row) => `  ${row}`),
	];
}

function wordsOf(profile: Place["profile"]): string[] {
	const { agent, model, tools, root, approvers, budget_usd, quota_bytes, approval_hours } = profile;
	const { mention, sessions, approve_in } = profile;
	const facts: readonly (readonly [string, string | undefined])[] = [
		["agent", agent],
		["model", model],
		["tools", tools?.join(", ")],
		["works in", root],
		["approvers", approvers?.join(", ")],
		["approved also in", approve_in?.join(", ")],
		["budget", budget_usd === undefined ? undefined : `${formatUsd(budget_usd)} a day`],
		["workspace", quota_bytes === undefined ? undefined : `up to ${formatBytes(quota_bytes)}`],
		["mention", mention],
		["conversations", sessions === "person" ? "one for each person" : sessions],
		["questions wait", approval_hours === undefined ? undefined : `${approval_hours} h`],
	];
	return facts.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value || "none"}`]));
}
