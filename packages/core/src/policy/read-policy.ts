import { ParleyError } from "@parley/base";
import { type CommentedJson, type JsonPath, parseCommentedJson } from "@parley/base/commented-json";
import type * as z from "zod";
import { findNearMiss } from "../text/near-miss.ts";
import { visible } from "../text/visible.ts";
import { clientRuleName, ruleNameOf, type Tool } from "../vocabulary/tool.ts";
import { builtInRules } from "./built-in-rules.ts";
import { matchesName } from "./commands/places.ts";
import { compilePath, type PathPattern } from "./path-pattern.ts";
import type { Layer, PolicyRule } from "./policy-rule.ts";
import { namesAt, policySchema, type WrittenRule } from "./policy-schema.ts";

/** A file of rules, and whose it is. */
export interface PolicySource {
	readonly layer: Exclude<Layer, "built-in" | "channel">;
	/** How messages name it. */
	readonly path: string;
	readonly text: string;
}

/** What a file of rules says. */
export interface PolicyFile {
	readonly rules: readonly PolicyRule[];
	/** What a workspace would allow: a repository lets nothing happen. */
	readonly ignored: readonly PolicyRule[];
}

export type KnownTool = Pick<Tool, "name" | "ruleName" | "command">;

const mostConditions = 1_000;
/** Characters of a wrong value that a refusal repeats. */
const mostShown = 80;

/**
 * Reads the rules of a file. Throws `invalid_argument` with line, column and what is allowed, for the first thing that
 * is wrong: a file counts as a whole or not at all.
 */
export function readPolicy(source: PolicySource, tools: readonly KnownTool[]): PolicyFile {
	const file = parseCommentedJson(source.path, source.text);
	const { success, data, error } = policySchema().safeParse(file.values);
	if (!success) throw explain(file, error);
	const size = data.rules.reduce((sum, { when }) => sum + Object.values(when ?? {}).flat().length, 0);
	if (size > mostConditions) throw refused(file, ["rules"], `it names more than ${mostConditions} things`);
	const rules = data.rules.map((rule, index) => new RuleReader(rule, { source, file, index, tools }).read());
	if (source.layer !== "workspace") return { rules, ignored: [] };
	const [ignored, kept] = [rules.filter(isAllow), rules.filter((rule) => !isAllow(rule))];
	return { rules: kept, ignored: ignored.map((rule) => ({ ...rule, reason: ignoredReason })) };
}

const ignoredReason = "ignored: what a repository holds can only ask and deny";

function isAllow({ effect }: PolicyRule): boolean {
	return effect === "allow";
}

interface Surroundings {
	readonly source: PolicySource;
	readonly file: CommentedJson;
	readonly index: number;
	readonly tools: readonly KnownTool[];
}

class RuleReader {
	readonly #rule: WrittenRule;
	readonly #around: Surroundings;

	constructor(rule: WrittenRule, around: Surroundings) {
		this.#rule = rule;
		this.#around = around;
	}

	read(): PolicyRule {
		const { effect, tool: tools, when = {}, reason } = this.#rule;
		const { source } = this.#around;
		this.#checkEffect();
		for (const [index, pattern] of (tools ?? []).entries()) this.#checkTool(pattern, index);
		const { class: classes, command: commands, path, host: hosts } = when;
		if (commands) this.#checkCommand(tools);
		const paths = path?.map((pattern, index) => this.#compile(pattern, index));
		const place = this.#locate([]).replace(/:\d+$/, "");
		return {
			...{ layer: source.layer, source: place, effect },
			reason: reason ?? `a rule of the ${source.layer}, ${place.slice(place.lastIndexOf("/") + 1)}`,
			...(tools && { tools }),
			...(classes && { classes }),
			...(commands && { commands }),
			...(paths && { paths }),
			...(hosts && { hosts }),
		};
	}

	#checkEffect(): void {
		const { effect, when } = this.#rule;
		if (effect !== "allow") return;
		if (this.#around.source.layer === "agent") {
			throw this.#refused(["effect"], "the rules of an agent can only ask and deny; allowed: deny, ask");
		}
		const floor = builtInRules.filter((rule) => rule.effect === "ask" && rule.liftedBy.length === 0);
		const index = when?.class?.findIndex((name) => floor.some((rule) => rule.when.includes(name))) ?? -1;
		if (index === -1) return;
		throw this.#refused(
			["when", "class", index],
			`what is ${when?.class?.[index]} is always asked about: no rule allows it`,
		);
	}

	#checkTool(pattern: string, index: number): void {
		// The tools of clients are not known yet.
		if (pattern.startsWith(clientRuleName(""))) return;
		const names = namesOf(this.#around.tools);
		if (names.some((name) => matchesName(name, pattern))) return;
		const meant = findNearMiss(pattern, names);
		const question = meant === undefined ? "" : `; did you mean ${meant}?`;
		throw this.#refused(
			["tool", index],
			`there is no tool ${shown(pattern)}${question}; allowed: ${names.join(", ")}`,
		);
	}

	#checkCommand(patterns: readonly string[] | undefined): void {
		const able = namesOf(this.#around.tools.filter((tool) => tool.command !== undefined));
		if (!patterns || able.some((name) => patterns.some((pattern) => matchesName(name, pattern)))) return;
		throw this.#refused(
			["when", "command"],
			`only some tools run commands, and the rule is about none of them: ${able.join(", ")}`,
		);
	}

	#compile(pattern: string, index: number): PathPattern {
		try {
			return compilePath(pattern);
		} catch (reason) {
			throw this.#refused(["when", "path", index], ParleyError.from(reason).message);
		}
	}

	#locate(path: JsonPath): string {
		return this.#around.file.locate(["rules", this.#around.index, ...path]);
	}

	#refused(path: JsonPath, why: string): ParleyError {
		return refused(this.#around.file, ["rules", this.#around.index, ...path], why);
	}
}

/** Each once: a tool that is here may be known by the name of one that is not. */
function namesOf(tools: readonly KnownTool[]): string[] {
	return [...new Set(tools.map(ruleNameOf))];
}

function explain(file: CommentedJson, { issues: [issue] }: z.ZodError): ParleyError {
	const path = (issue?.path ?? []).map((key) => (typeof key === "symbol" ? String(key) : key));
	if (issue?.code === "unrecognized_keys") {
		const [key = ""] = issue.keys;
		const allowed = namesAt(path);
		const meant = findNearMiss(key, allowed);
		const question = meant === undefined ? "" : `; did you mean ${meant}?`;
		return refused(file, [...path, key], `unknown: ${shown(key)}${question}; allowed: ${allowed.join(", ")}`);
	}
	const value = path.reduce<unknown>(
		(outer, key) => (Object(outer) === outer ? Object(outer)[key] : outer),
		file.values,
	);
	const name = path.findLast((key) => typeof key === "string") ?? "rules";
	if (value === undefined) return refused(file, path, `${name} is missing; needed: ${issue?.message}`);
	return refused(file, path, `${shown(value)} is not allowed for ${name}; allowed: ${issue?.message}`);
}

function refused(file: CommentedJson, path: JsonPath, why: string): ParleyError {
	return new ParleyError(`${file.locate(path)}: ${why}`, { code: "invalid_argument" });
}

function shown(value: unknown): string {
	const text = visible(JSON.stringify(value) ?? String(value));
	return text.length > mostShown ? `${text.slice(0, mostShown)}…` : text;
}
