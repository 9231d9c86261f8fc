import { defined, ParleyError } from "@parley/base";
import { type CommentedJson, type JsonPath, parseCommentedJson } from "@parley/base/commented-json";
import * as z from "zod";
import { findNearMiss } from "../text/near-miss.ts";
import { unknownNameTexts } from "../text/texts.ts";
import { visible } from "../text/visible.ts";
import { isMcpToolName } from "../vocabulary/mcp/server.ts";
import type { ActionClass } from "../vocabulary/taint.ts";
import { clientRuleName, type NamedTool, ruleNameOf, type Tool } from "../vocabulary/tool.ts";
import { matchesName } from "./commands/places.ts";
import { compilePath, type PathPattern } from "./path-pattern.ts";
import { builtInRules, type Layer, type PolicyRule } from "./policy-rule.ts";
import { policyFileTexts } from "./texts.ts";

/** A policy file and its layer. */
export interface PolicySource {
	readonly layer: Exclude<Layer, "built-in" | "channel">;
	/** Path of the file in messages. */
	readonly path: string;
	readonly text: string;
}

export interface PolicyFile {
	readonly rules: readonly PolicyRule[];
	/** `allow` rules in the file of a workspace. They have no effect. */
	readonly ignored: readonly PolicyRule[];
}

/** Facts about a tool that are necessary to read rules and to match rules with calls. */
export interface KnownTool extends NamedTool {
	command?: Tool["command"];
}

const maxConditions = 1_000;
/** Maximum characters of an invalid value in a refusal. */
const maxShown = 80;

/**
 * Reads the rules of a policy file. Throws `invalid_argument` with line and column for the first error, so no rule of
 * an invalid file applies. `allow` rules of a workspace are returned in `ignored`.
 */
export function readPolicy(source: PolicySource, tools: readonly KnownTool[]): PolicyFile {
	const file = parseCommentedJson(source.path, source.text);
	const { success, data, error } = policySchema().safeParse(file.values);
	if (!success) throw explain(file, error);
	const size = data.rules.reduce((sum, { when }) => sum + Object.values(when ?? {}).flat().length, 0);
	if (size > maxConditions) throw refused(file, ["rules"], policyFileTexts.tooManyConditions(maxConditions));
	const rules = data.rules.map((rule, index) => new RuleReader(rule, { source, file, index, tools }).read());
	if (source.layer !== "workspace") return { rules, ignored: [] };
	const [ignored, others] = [rules.filter(isAllow), rules.filter((rule) => !isAllow(rule))];
	return { rules: others, ignored: ignored.map((rule) => ({ ...rule, reason: ignoredReason })) };
}

const ignoredReason = policyFileTexts.allowIgnored;

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
		const { effect, tool: tools, when = {}, approvals, reason } = this.#rule;
		const { source } = this.#around;
		this.#checkEffect();
		for (const [index, pattern] of (tools ?? []).entries()) this.#checkTool(pattern, index);
		const { class: classes, command: commands, path, host: hosts } = when;
		if (commands) this.#checkCommand(tools);
		const paths = path?.map((pattern, index) => this.#compile(pattern, index));
		const place = this.#locate([]).replace(/:\d+$/, "");
		return {
			layer: source.layer,
			source: place,
			effect,
			reason: reason ?? policyFileTexts.ruleOf(source.layer, place.slice(place.lastIndexOf("/") + 1)),
			...defined({ tools, classes, commands, paths, hosts, approvals }),
		};
	}

	#checkEffect(): void {
		const { effect, when, approvals } = this.#rule;
		if (effect !== "ask" && approvals !== undefined) {
			throw this.#refused(["approvals"], policyFileTexts.noApprovals(effect));
		}
		if (effect !== "allow") return;
		if (this.#around.source.layer === "agent") {
			throw this.#refused(["effect"], policyFileTexts.agentRule);
		}
		const floor = builtInRules.filter((rule) => rule.effect === "ask" && rule.liftedBy.length === 0);
		const index = when?.class?.findIndex((name) => floor.some((rule) => rule.when.includes(name))) ?? -1;
		if (index === -1) return;
		throw this.#refused(["when", "class", index], policyFileTexts.alwaysApproval(when?.class?.[index]));
	}

	#checkTool(pattern: string, index: number): void {
		// The tools of clients and MCP servers are not known when a file is read.
		if (pattern.startsWith(clientRuleName("")) || isMcpToolName(pattern)) return;
		const names = namesOf(this.#around.tools);
		if (names.some((name) => matchesName(name, pattern))) return;
		const advice = unknownNameTexts.allowed(findNearMiss(pattern, names), names);
		throw this.#refused(["tool", index], policyFileTexts.noTool(shown(pattern), advice));
	}

	#checkCommand(patterns: readonly string[] | undefined): void {
		const able = namesOf(this.#around.tools.filter((tool) => tool.command !== undefined));
		if (!patterns || able.some((name) => patterns.some((pattern) => matchesName(name, pattern)))) return;
		throw this.#refused(["when", "command"], policyFileTexts.noCommandTool(able));
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

	#refused(path: JsonPath, reason: string): ParleyError {
		return refused(this.#around.file, ["rules", this.#around.index, ...path], reason);
	}
}

/** Returns the rule names of the tools without duplicates, because rules may use one name for several tools. */
function namesOf(tools: readonly KnownTool[]): string[] {
	return [...new Set(tools.map(ruleNameOf))];
}

function explain(file: CommentedJson, { issues: [issue] }: z.ZodError): ParleyError {
	const path = (issue?.path ?? []).map((key) => (typeof key === "symbol" ? String(key) : key));
	if (issue?.code === "unrecognized_keys") {
		const [key = ""] = issue.keys;
		const allowed = namesAt(path);
		const advice = unknownNameTexts.allowed(findNearMiss(key, allowed), allowed);
		return refused(file, [...path, key], policyFileTexts.unknownKey(shown(key), advice));
	}
	const value = path.reduce<unknown>(
		(outer, key) => (Object(outer) === outer ? Object(outer)[key] : outer),
		file.values,
	);
	const name = path.findLast((key) => typeof key === "string") ?? "rules";
	if (value === undefined) return refused(file, path, policyFileTexts.missing(name, issue?.message));
	return refused(file, path, policyFileTexts.notAllowed(shown(value), name, issue?.message));
}

function refused(file: CommentedJson, path: JsonPath, reason: string): ParleyError {
	return new ParleyError(`${file.locate(path)}: ${reason}`, { code: "invalid_argument" });
}

function shown(value: unknown): string {
	const text = visible(JSON.stringify(value) ?? String(value));
	return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}

const actionClasses = [
	"read",
	"write",
	"exec-sandboxed",
	"exec-unsandboxed",
	"egress",
	"outside-read",
	"outside-write",
	"secret",
	"control",
	"irreversible",
	"person",
	"client",
	"mcp",
	"mcp-changed",
	"memory-read",
	"memory-write",
	"memory-everyone",
	"schedule",
] as const satisfies readonly ActionClass[];

const maxApprovals = 10;
const numberOfApprovals = policyFileTexts.approvals(maxApprovals);
const maxRules = 500;
const maxNames = 200;

/** Creates the schemas of a policy file. Called when the first file is read, because most gateways have no file. */
function makeSchemas() {
	const word = z.string({ error: "a word" }).regex(/^[^\p{C}]{1,300}$/u, { error: policyFileTexts.word });
	const program = word.regex(/^\S+$/, {
		error: policyFileTexts.program,
	});

	const when = z
		.strictObject(
			{
				class: oneOrMore(z.enum(actionClasses, { error: actionClasses.join(", ") })),
				command: z.preprocess(
					(value) => (Array.isArray(value) && !Array.isArray(value[0]) ? [value] : value),
					list(z.tuple([program], word, { error: policyFileTexts.command }), policyFileTexts.commands),
				),
				path: oneOrMore(word),
				host: oneOrMore(word.regex(/^[\w*.:[\]-]+$/, { error: policyFileTexts.host }).toLowerCase()),
			},
			{ error: policyFileTexts.when },
		)
		.partial();

	const rule = z.strictObject(
		{
			effect: z.enum(["deny", "ask", "allow"], { error: "deny, ask, allow" }),
			tool: z.optional(oneOrMore(word)),
			when: z.optional(when),
			approvals: z.optional(
				z.int({ error: numberOfApprovals }).min(2, { error: numberOfApprovals }).max(maxApprovals, {
					error: numberOfApprovals,
				}),
			),
			reason: z.optional(
				z
					.string({ error: "a text" })
					.trim()
					.regex(/^[^\p{C}]{1,500}$/u, { error: policyFileTexts.reason }),
			),
		},
		{ error: policyFileTexts.rule },
	);

	const file = z.strictObject({
		$schema: z.optional(z.string({ error: policyFileTexts.schema })),
		rules: z
			.array(rule, { error: policyFileTexts.rules })
			.max(maxRules, { error: policyFileTexts.tooManyRules(maxRules) }),
	});
	return { file, rule, when };
}

let cachedSchemas: ReturnType<typeof makeSchemas> | undefined;

function schemas(): ReturnType<typeof makeSchemas> {
	cachedSchemas ??= makeSchemas();
	return cachedSchemas;
}

function policySchema(): ReturnType<typeof makeSchemas>["file"] {
	return schemas().file;
}

type WrittenRule = z.infer<ReturnType<typeof makeSchemas>["rule"]>;

function namesAt(path: readonly PropertyKey[]): readonly string[] {
	if (path.length === 0) return ["rules"];
	const { rule, when } = schemas();
	return Object.keys(path.at(-1) === "when" ? when.shape : rule.shape);
}

function list<T extends z.ZodType>(item: T, error: string): z.ZodArray<T> {
	return z
		.array(item, { error })
		.min(1, { error: policyFileTexts.atLeastOne })
		.max(maxNames, { error: policyFileTexts.tooManyNames(maxNames) });
}

function oneOrMore<T extends z.ZodType>(item: T): z.ZodPreprocess<z.ZodArray<T>> {
	return z.preprocess(
		(value) => (Array.isArray(value) ? value : [value]),
		list(item, policyFileTexts.valueOrList),
	);
}
