import { defined, ParleyError } from "@parley/base";
import * as z from "zod";
import { findNearMiss } from "../../text/near-miss.ts";
import type { SkillStep, SkillText } from "../../vocabulary/skill.ts";
import { readFrontmatter, type SkillFile } from "./frontmatter.ts";
import { frontmatterTexts, skillFileTexts, skillValueTexts } from "./texts.ts";

/** Maximum characters of a description. The Agent Skills format has the same limit. */
const maxDescription = 1024;
const maxTitle = 200;
const maxPrompt = 100_000;
const maxSteps = 50;

const skillName = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]{0,63}$/u;

/** Whether the name can follow a `/` in a message. */
function isSkillName(name: string): boolean {
	return name.length <= 64 && skillName.test(name);
}

/** Tiers for the model names that other agents use in skills. `inherit` means the model of the session. */
const otherModels: Readonly<Record<string, string | undefined>> = {
	haiku: "fast",
	sonnet: "standard",
	opus: "max",
	inherit: undefined,
};

const flag = z.union([z.boolean(), z.enum(["true", "false"]).transform((word) => word === "true")], {
	error: skillValueTexts.flag,
});
const names = z.union([z.string(), z.array(z.string()).max(200)], {
	error: skillValueTexts.tools,
});

function text(max: number, allowed: string) {
	return z.string({ error: allowed }).trim().min(1, { error: allowed }).max(max, { error: allowed });
}

const stepName = text(64, skillValueTexts.stepId).regex(skillName, { error: skillValueTexts.stepId });

const step = z.object(
	{
		id: stepName,
		title: text(maxTitle, skillValueTexts.title(maxTitle)).optional(),
		prompt: text(maxPrompt, skillValueTexts.prompt(maxPrompt)),
		model: text(200, skillValueTexts.model).optional(),
		needs: z
			.union([stepName.transform((id) => [id]), z.array(stepName)], { error: skillValueTexts.needs })
			.optional(),
		criteria: z
			.union(
				[
					text(10_000, skillValueTexts.criteria).transform((one) => [one]),
					z.array(text(10_000, skillValueTexts.criteria)).max(50),
				],
				{ error: skillValueTexts.criteria },
			)
			.optional(),
	},
	{ error: skillValueTexts.step },
);

/** Schema of the keys that Parley uses. Keys that only other agents use are ignored. */
const schema = z.object(
	{
		name: z
			.string({ error: skillValueTexts.name })
			.refine(isSkillName, { error: skillValueTexts.nameRule })
			.optional(),
		description: z.string({ error: skillValueTexts.text }).optional(),
		argument_hint: z.union([z.string(), z.array(z.string())], { error: skillValueTexts.text }).optional(),
		disable_model_invocation: flag.optional(),
		user_invocable: flag.optional(),
		tools: names.optional(),
		allowed_tools: names.optional(),
		model: text(200, skillValueTexts.model).nullable().optional(),
		steps: z
			.array(step, { error: skillValueTexts.steps })
			.min(1, { error: skillValueTexts.oneStep })
			.max(maxSteps, { error: skillValueTexts.maxSteps(maxSteps) })
			.optional(),
	},
	{ error: skillValueTexts.facts },
);

type Facts = z.infer<typeof schema>;

/** Keys that restrict a skill. A misspelled key must not remove its restriction. */
const restricting = ["disable_model_invocation", "user_invocable", "tools", "allowed_tools"] as const;
/** Keys that other agents support and that are never reported as misspelled. */
const foreign: readonly string[] = ["hooks"];

/**
 * Reads the text of a skill file. `fallbackName` is the name of the skill if the file contains no name. Throws
 * `invalid_argument` with the reason, and with the line if it is known.
 */
export function readSkill(content: string, fallbackName: string): SkillText {
	const file = readFrontmatter(content);
	const facts = factsOf(file);
	const name = facts.name ?? fallbackName;
	if (!isSkillName(name)) throw refused(skillFileTexts.name(JSON.stringify(name.slice(0, 100))));
	const tools = toolsOf(facts);
	const { model: requested, argument_hint: hint } = facts;
	const model =
		typeof requested === "string" && Object.hasOwn(otherModels, requested)
			? otherModels[requested]
			: requested;
	const steps = facts.steps && stepsOf(facts.steps, file);
	return {
		name,
		description: descriptionOf(facts.description, file.body),
		body: file.body,
		disableModelInvocation: facts.disable_model_invocation ?? false,
		userInvocable: facts.user_invocable ?? true,
		...defined({
			argumentHint:
				hint === undefined ? undefined : oneLine(Array.isArray(hint) ? hint.join(" ") : hint, 100),
			tools,
			model: typeof model === "string" ? model : undefined,
			steps,
		}),
	};
}

/** Returns the checked frontmatter. Replaces hyphens in top-level keys with underscores. */
function factsOf(file: SkillFile): Facts {
	const { facts } = file;
	const keys = new Map<string, string>();
	const plain: Record<string, unknown> = {};
	if (typeof facts === "object" && facts !== null && !Array.isArray(facts)) {
		for (const [written, value] of Object.entries(facts)) {
			const key = written.replaceAll("-", "_");
			refuseMistyped(key, written, file);
			if (Object.hasOwn(plain, key)) {
				throw refusedAt(file, [written], skillFileTexts.twice(key));
			}
			keys.set(key, written);
			plain[key] = value;
		}
	}
	const parsed = schema.safeParse(Array.isArray(facts) || typeof facts !== "object" ? facts : plain);
	if (parsed.success) return parsed.data;
	const [issue] = parsed.error.issues;
	const [first, ...rest] = (issue?.path ?? []).filter((part) => typeof part !== "symbol");
	const path = first === undefined ? [] : [keys.get(String(first)) ?? first, ...rest];
	throw refusedAt(file, path, skillFileTexts.notAllowed(path.join("."), issue?.message ?? ""));
}

function refuseMistyped(key: string, written: string, file: SkillFile): void {
	if (Object.hasOwn(schema.shape, key) || foreign.includes(key)) return;
	const suggestion = findNearMiss(key, restricting);
	if (suggestion === undefined) return;
	throw refusedAt(file, [written], skillFileTexts.unknownKey(JSON.stringify(written), suggestion));
}

function descriptionOf(written: string | undefined, body: string): string {
	const description = oneLine(written ?? "", maxDescription);
	if (description !== "") return description;
	const paragraph = body.split(/\n\s*\n/).map((part) => part.replace(/^#+\s*/, ""));
	return oneLine(paragraph[0] ?? "", 200);
}

function oneLine(words: string, max: number): string {
	const line = words.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
	return line.length > max ? `${line.slice(0, max - 1).trimEnd()}…` : line;
}

/**
 * Returns the tools that the file allows, or undefined if the file restricts no tools. If the file has both `tools` and
 * `allowed-tools`, a tool must be in both.
 */
function toolsOf({ tools, allowed_tools: allowed }: Facts): readonly string[] | undefined {
	const lists = [tools, allowed].flatMap((list) => (list === undefined ? [] : [namesIn(list)]));
	const [first, second] = lists;
	return second ? first?.filter((name) => second.includes(name)) : first;
}

/** Returns the names in a list, without parentheses and their content: `Bash` for `Bash(git status:*)`. */
function namesIn(list: string | readonly string[]): readonly string[] {
	const entries = typeof list === "string" ? [list] : list;
	const found = entries.flatMap((entry) => entry.replaceAll(/\([^)]*\)/g, "").split(/[\s,]+/));
	return [...new Set(found.filter((name) => name !== ""))];
}

function stepsOf(steps: NonNullable<Facts["steps"]>, file: SkillFile): readonly SkillStep[] {
	const ids = new Set<string>();
	for (const [index, { id }] of steps.entries()) {
		if (ids.has(id))
			throw refusedAt(file, ["steps", index, "id"], skillFileTexts.sameStepId(JSON.stringify(id)));
		ids.add(id);
	}
	for (const [index, { id, needs = [] }] of steps.entries()) {
		const missing = needs.find((need) => !ids.has(need));
		if (missing === undefined) continue;
		const others = [...ids].filter((other) => other !== id);
		const problem = skillFileTexts.unknownNeed(id, JSON.stringify(missing), others);
		throw refusedAt(file, ["steps", index, "needs"], problem);
	}
	refuseCycle(steps);
	return steps.map(({ id, title = id, prompt, model, needs = [], criteria }) => ({
		id,
		title,
		prompt,
		needs: [...new Set(needs)],
		...defined({ model, criteria: criteria !== undefined && criteria.length > 0 ? criteria : undefined }),
	}));
}

function refuseCycle(
	steps: readonly { readonly id: string; readonly needs?: readonly string[] | undefined }[],
): void {
	let left = steps;
	// Repeatedly removes steps that need no remaining step. Only cycles, and steps that depend on a cycle, then remain.
	for (;;) {
		const open = new Set(left.map(({ id }) => id));
		const blocked = left.filter(({ needs = [] }) => needs.some((need) => open.has(need)));
		if (blocked.length === 0) return;
		if (blocked.length === left.length) {
			throw refused(skillFileTexts.cycle(blocked.map(({ id }) => id).join(", ")));
		}
		left = blocked;
	}
}

function refusedAt(file: SkillFile, path: readonly (string | number)[], problem: string): ParleyError {
	const line = file.lineOf(path);
	return refused(line === undefined ? problem : frontmatterTexts.atLine(line, problem));
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}
