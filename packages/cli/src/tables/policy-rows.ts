import type { MethodResult } from "@parley/protocol";
import { tableRows } from "../text/columns.ts";
import type { Look } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";

type Answer = MethodResult<"test_policy">;
type Listing = MethodResult<"show_policy">;
type Rule = Listing["rules"][number];

/** What would become of a call, and below it what every rule said, those that decide first. */
export function decisionRows(answer: Answer, look: Look): string[] {
	const { effect, floor, reason, classes, sandbox, policy_version, rules } = answer;
	const facts = [
		`${floor ? "ask always" : effect}: ${visibleLine(reason)}`,
		`classes: ${classes.join(", ") || "none"}`,
		`sandbox: ${sandbox}`,
		`policy: ${policy_version}`,
	];
	const cells = rules.map(({ decides, layer, effect: said, source, reason: why }) =>
		[decides ? "▸" : "", layer, said, why, source ?? ""].map(visibleLine),
	);
	const head = ["", "LAYER", "EFFECT", "REASON", "WHERE"];
	const table = rules.length === 0 ? [] : tableRows({ rows: [head, ...cells], elastic: 3 }, look);
	return [...facts.flatMap((fact) => wrapText(fact, look.columns)), ...table];
}

/** The rules in force, in the order of their layers. */
export function ruleRows({ rules, problem }: Listing, look: Look): string[] {
	const cells = rules.map((rule) =>
		[rule.layer, effectOf(rule), conditionsOf(rule), rule.reason, rule.source ?? ""].map(visibleLine),
	);
	const head = ["LAYER", "EFFECT", "WHEN", "REASON", "WHERE"];
	const broken = problem === undefined ? [] : wrapText(`✗ ${visibleLine(problem)}`, look.columns);
	return [
		...broken.map(look.styles.red),
		...tableRows({ rows: [head, ...cells], optional: [4], elastic: 2 }, look),
	];
}

function effectOf({ effect, floor, ignored }: Rule): string {
	if (ignored) return `(${effect})`;
	return floor ? "ask always" : effect;
}

function conditionsOf({ tools, classes, commands, paths, hosts }: Rule): string {
	const told = [
		...(tools ? [tools.join(" or ")] : []),
		...(classes ? [classes.join(" or ")] : []),
		...(commands ? [commands.map((words) => words.join(" ")).join(" or ")] : []),
		...(paths ? [paths.join(" or ")] : []),
		...(hosts ? [hosts.join(" or ")] : []),
	];
	return told.join("; ") || "every call";
}
