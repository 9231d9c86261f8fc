import { definedItems } from "@parley/base";
import type { MethodResult } from "@parley/protocol";
import { type Table, tableRows } from "../text/columns.ts";
import { localTime } from "../text/local-time.ts";
import type { OutputFormat } from "../text/styles.ts";
import { timeAgo, timeLeft } from "../text/time-ago.ts";
import { visibleLine } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";

export type Grant = MethodResult<"list_grants">["grants"][number];

const head = ["ID", "CHANNEL", "STATE", "CALLS", "COVERS", "GRANTED BY", "REASON"];

/** Rows of trust grants, newest first. */
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
	const table: Table = { rows: [head, ...rows], right: [3], optional: [5, 4, 3], elastic: 6 };
	return tableRows(table, format);
}

export type TrustRequest = MethodResult<"list_grants">["wishes"][number];

/** Requests for trust grants in rows, and below them the commands that answer. */
export function requestRows(requests: readonly TrustRequest[], now: number, format: OutputFormat): string[] {
	const head = ["ID", "CHANNEL", "REQUESTED BY", "LIMITS", "COVERS", "EXPIRES IN", "REASON"];
	const rows = requests.map((request) => [
		visibleLine(request.token),
		visibleLine(request.place),
		requesterOf(request),
		`${timeLeft(request.minutes * 60_000)}, ${request.max_actions} calls`,
		coversOf(request),
		timeLeft(Date.parse(request.expires_at) - now),
		visibleLine(request.reason),
	]);
	const hint =
		"`parley trust approve ID` trusts the channel, `parley trust deny ID` denies the request. Ids may be abbreviated.";
	return [
		...tableRows({ rows: [head, ...rows], optional: [5, 3, 4], elastic: 6 }, format),
		...wrapText(hint, format.columns),
	];
}

function requesterOf({ person = "unknown", name = "" }: TrustRequest): string {
	return visibleLine(name === "" ? person : `${name} (${person})`);
}

function stateOf({ expires_at, ended_at, end_reason = "" }: Grant, now: number): string {
	if (ended_at !== undefined) return `ended ${localTime(new Date(ended_at))}: ${visibleLine(end_reason)}`;
	const left = Date.parse(expires_at) - now;
	return left > 0 ? `${timeLeft(left)} left` : "expired";
}

/** The limits of a grant, or of a request for one. */
interface Coverage {
	readonly people: Grant["people"];
	readonly tools: Grant["tools"];
	readonly classes: Grant["classes"];
}

function coversOf({ people, tools, classes }: Coverage): string {
	const calls = [...(tools ?? []), ...(classes ?? [])].map(visibleLine);
	const who = people === null ? "members" : people.map(visibleLine).join(", ");
	return `${calls.length === 0 ? "all calls" : calls.join(", ")} of ${who}`;
}

type Token = MethodResult<"list_tokens">["tokens"][number];

/** Characters of an id that distinguish tokens. */
const shownId = 8;

/** Rows of the tokens, active ones first. `now` is in milliseconds since the epoch. */
export function tokenTable(tokens: readonly Token[], format: OutputFormat, now: number): string[] {
	const sorted = [...tokens].sort((a, b) => Number(b.status === "active") - Number(a.status === "active"));
	const cells = sorted.map((token) => tokenCells(token, now));
	const head = ["ID", "KIND", "NAME", "SCOPE", "LAST USED", "STATUS"];
	return tableRows({ rows: [head, ...cells], optional: [3, 4], elastic: 2 }, format);
}

function tokenCells(token: Token, now: number): string[] {
	const { id, kind, name, platform, tenants, sessions, last_used_at } = token;
	const where = tenants ? [platform, ...tenants].join(" ") : platform;
	const scope =
		where ?? (sessions ? `${sessions.length} sessions` : kind === "observer" ? "all sessions" : "");
	const used = last_used_at === undefined ? "never" : timeAgo(Date.parse(last_used_at), now);
	const status = token.status === "active" ? untilWords(token, now) : token.status;
	return [id.slice(0, shownId), kind, name, scope, used, status].map(visibleLine);
}

type Answer = MethodResult<"test_policy">;
type Listing = MethodResult<"show_policy">;
type Rule = Listing["rules"][number];

/** Decision about a call, and below it the result of each rule; the deciding rules are first. */
export function decisionRows(answer: Answer, format: OutputFormat): string[] {
	const { effect, floor, reason, classes, sandbox, policy_version, rules } = answer;
	const facts = [
		`${floor ? "ask always" : effect}: ${visibleLine(reason)}`,
		`classes: ${classes.join(", ") || "none"}`,
		`sandbox: ${sandbox}`,
		`policy: ${policy_version}`,
	];
	const cells = rules.map(({ decides, layer, effect, source, reason: why }) =>
		[decides ? "▸" : "", layer, effect, why, source ?? ""].map(visibleLine),
	);
	const head = ["", "LAYER", "EFFECT", "REASON", "SOURCE"];
	const table = rules.length === 0 ? [] : tableRows({ rows: [head, ...cells], elastic: 3 }, format);
	return [...facts.flatMap((fact) => wrapText(fact, format.columns)), ...table];
}

/** The active rules, in the order of their layers. */
export function ruleRows({ rules, problem }: Listing, format: OutputFormat): string[] {
	const cells = rules.map((rule) =>
		[rule.layer, effectOf(rule), conditionsOf(rule), rule.reason, rule.source ?? ""].map(visibleLine),
	);
	const head = ["LAYER", "EFFECT", "WHEN", "REASON", "SOURCE"];
	const broken = problem === undefined ? [] : wrapText(`✗ ${visibleLine(problem)}`, format.columns);
	return [
		...broken.map(format.styles.red),
		...tableRows({ rows: [head, ...cells], optional: [4], elastic: 2 }, format),
	];
}

function effectOf({ effect, floor, ignored }: Rule): string {
	if (ignored) return `(${effect})`;
	return floor ? "ask always" : effect;
}

function conditionsOf({ tools, classes, commands, paths, hosts }: Rule): string {
	const conditions = definedItems([
		tools?.join(" or "),
		classes?.join(" or "),
		commands?.map((words) => words.join(" ")).join(" or "),
		paths?.join(" or "),
		hosts?.join(" or "),
	]);
	return conditions.join("; ") || "every call";
}

/** Remaining validity of a token. */
function untilWords({ expires_at }: Token, now: number): string {
	return expires_at === undefined
		? "does not expire"
		: `expires in ${timeLeft(Date.parse(expires_at) - now)}`;
}

/** Words besides the text of a new token. */
export function createdWords(info: Token, now: number): string {
	const named = visibleLine(`${info.kind} token ${info.name} (${info.id.slice(0, 8)})`);
	const again = isOwn(info)
		? "It is stored in the data directory, where programs of this machine find it."
		: "It cannot be shown again.";
	return [
		`${named} ${untilWords(info, now)}. ${again}`,
		"Clients send it as `Authorization: Bearer TOKEN`; parley reads it from PARLEY_TOKEN.",
	].join("\n");
}

/** Whether it is the operator token of the data directory. */
function isOwn({ kind, name }: Token): boolean {
	return kind === "operator" && name === "operator";
}
