import { definedItems } from "@parley/base";
import type { MethodResult } from "@parley/protocol";
import { type Table, tableRows } from "../text/columns.ts";
import { localTime } from "../text/local-time.ts";
import type { OutputFormat } from "../text/styles.ts";
import { timeAgo, timeLeft } from "../text/time-ago.ts";
import { visibleLine } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";
import { policyTableTexts, tokenTableTexts, trustTableTexts } from "../texts/tables/access.ts";

export type Grant = MethodResult<"list_grants">["grants"][number];

/** Returns the rows of trust grants, in the order of `grants`. */
export function grantTable(grants: readonly Grant[], now: number, format: OutputFormat): string[] {
	const rows = grants.map((grant) => [
		grant.grant_id,
		visibleLine(grant.place),
		stateOf(grant, now),
		`${grant.used_actions}/${grant.max_actions}`,
		coversOf(grant),
		visibleLine(grant.granted_by),
		visibleLine(grant.reason),
	]);
	const table: Table = {
		rows: [trustTableTexts.grantColumns, ...rows],
		right: [3],
		optional: [5, 4, 3],
		elastic: 6,
	};
	return tableRows(table, format);
}

export type TrustRequest = MethodResult<"list_grants">["wishes"][number];

/** Returns requests for trust grants as rows, followed by the commands that answer them. */
export function requestRows(requests: readonly TrustRequest[], now: number, format: OutputFormat): string[] {
	const rows = requests.map((request) => [
		visibleLine(request.token),
		visibleLine(request.place),
		requesterOf(request),
		trustTableTexts.limits({ time: timeLeft(request.minutes * 60_000), calls: request.max_actions }),
		coversOf(request),
		timeLeft(Date.parse(request.expires_at) - now),
		visibleLine(request.reason),
	]);
	const hint = trustTableTexts.howToAnswer;
	return [
		...tableRows(
			{ rows: [trustTableTexts.requestColumns, ...rows], optional: [5, 3, 4], elastic: 6 },
			format,
		),
		...wrapText(hint, format.columns),
	];
}

function requesterOf({ person = "unknown", name = "" }: TrustRequest): string {
	return visibleLine(name === "" ? person : `${name} (${person})`);
}

function stateOf({ expires_at, ended_at, end_reason = "" }: Grant, now: number): string {
	if (ended_at !== undefined)
		return trustTableTexts.ended({ time: localTime(new Date(ended_at)), reason: visibleLine(end_reason) });
	const left = Date.parse(expires_at) - now;
	return left > 0 ? trustTableTexts.left({ time: timeLeft(left) }) : trustTableTexts.expired;
}

interface Coverage {
	readonly people: Grant["people"];
	readonly tools: Grant["tools"];
	readonly classes: Grant["classes"];
}

function coversOf({ people, tools, classes }: Coverage): string {
	const calls = [...(tools ?? []), ...(classes ?? [])].map(visibleLine);
	return trustTableTexts.coverage({ calls: calls.join(", "), people: people?.map(visibleLine).join(", ") });
}

type Token = MethodResult<"list_tokens">["tokens"][number];

/** Number of characters of a shown token id. */
const shownId = 8;

/** Returns the rows of the tokens, active tokens first. `now` is in milliseconds since the epoch. */
export function tokenTable(tokens: readonly Token[], format: OutputFormat, now: number): string[] {
	const sorted = [...tokens].sort((a, b) => Number(b.status === "active") - Number(a.status === "active"));
	const cells = sorted.map((token) => tokenCells(token, now));
	return tableRows({ rows: [tokenTableTexts.columns, ...cells], optional: [3, 4], elastic: 2 }, format);
}

function tokenCells(token: Token, now: number): string[] {
	const { id, kind, name, platform, tenants, sessions, last_used_at } = token;
	const where = tenants ? [platform, ...tenants].join(" ") : platform;
	const scope =
		where ??
		(sessions
			? tokenTableTexts.sessions({ count: sessions.length })
			: kind === "observer"
				? tokenTableTexts.allSessions
				: "");
	const used =
		last_used_at === undefined ? tokenTableTexts.neverUsed : timeAgo(Date.parse(last_used_at), now);
	const status = token.status === "active" ? untilWords(token, now) : token.status;
	return [id.slice(0, shownId), kind, name, scope, used, status].map(visibleLine);
}

type Answer = MethodResult<"test_policy">;
type Listing = MethodResult<"show_policy">;
type Rule = Listing["rules"][number];

/** Returns the decision about a call, followed by the result of each rule. `▸` marks the deciding rules. */
export function decisionRows(answer: Answer, format: OutputFormat): string[] {
	const { effect, floor, reason, classes, sandbox, policy_version, rules } = answer;
	const facts = [
		`${floor ? policyTableTexts.askAlways : effect}: ${visibleLine(reason)}`,
		`classes: ${classes.join(", ") || "none"}`,
		`sandbox: ${sandbox}`,
		`policy: ${policy_version}`,
	];
	const cells = rules.map(({ decides, layer, effect, source, reason: why }) =>
		[decides ? "▸" : "", layer, effect, why, source ?? ""].map(visibleLine),
	);
	const table =
		rules.length === 0
			? []
			: tableRows({ rows: [policyTableTexts.decisionColumns, ...cells], elastic: 3 }, format);
	return [...facts.flatMap((fact) => wrapText(fact, format.columns)), ...table];
}

/** Returns the problem of an invalid policy, followed by the rules. Parentheses mark an ignored rule. */
export function ruleRows({ rules, problem }: Listing, format: OutputFormat): string[] {
	const cells = rules.map((rule) =>
		[rule.layer, effectOf(rule), conditionsOf(rule), rule.reason, rule.source ?? ""].map(visibleLine),
	);
	const broken = problem === undefined ? [] : wrapText(`✗ ${visibleLine(problem)}`, format.columns);
	return [
		...broken.map(format.styles.red),
		...tableRows({ rows: [policyTableTexts.ruleColumns, ...cells], optional: [4], elastic: 2 }, format),
	];
}

function effectOf({ effect, floor, ignored }: Rule): string {
	if (ignored) return `(${effect})`;
	return floor ? policyTableTexts.askAlways : effect;
}

function conditionsOf({ tools, classes, commands, paths, hosts }: Rule): string {
	const conditions = definedItems([
		tools?.join(" or "),
		classes?.join(" or "),
		commands?.map((words) => words.join(" ")).join(" or "),
		paths?.join(" or "),
		hosts?.join(" or "),
	]);
	return conditions.join("; ") || policyTableTexts.everyCall;
}

function untilWords({ expires_at }: Token, now: number): string {
	return expires_at === undefined
		? tokenTableTexts.doesNotExpire
		: tokenTableTexts.expires({ left: timeLeft(Date.parse(expires_at) - now) });
}

/** Returns the text that is printed in addition to a new token. */
export function createdWords(info: Token, now: number): string {
	const { kind, name, id } = info;
	const token = visibleLine(tokenTableTexts.token({ kind, name, id: id.slice(0, 8) }));
	const again = isOwn(info) ? tokenTableTexts.stored : tokenTableTexts.shownOnce;
	return [`${token} ${untilWords(info, now)}. ${again}`, tokenTableTexts.howToSend].join("\n");
}

/** Whether the token is the operator token of the data directory. */
function isOwn({ kind, name }: Token): boolean {
	return kind === "operator" && name === "operator";
}
