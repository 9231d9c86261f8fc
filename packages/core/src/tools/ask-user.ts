import { ParleyError } from "@parley/base";
import { RE2JS } from "re2js";
import * as z from "zod";
import { visible } from "../text/visible.ts";
import type { ElicitationAnswer, PromptOption } from "../vocabulary/prompt.ts";
import { defineTool, type ToolContext, type ToolPlan, type ToolResult } from "../vocabulary/tool.ts";
import { askUserTexts } from "./texts.ts";

const MAX_OPTIONS = 100;
const MAX_PATTERN = 500;

const option = () =>
	z.union([
		z.string().min(1).max(200),
		z.strictObject({
			value: z.string().min(1).max(200),
			label: z.string().min(1).max(200),
			description: z.string().max(500).default(""),
			disabled: z.boolean().default(false).describe(askUserTexts.disabled),
		}),
	]);

const parameters = () =>
	z.strictObject({
		type: z.enum(["text", "select", "multi", "password"]).describe(askUserTexts.type),
		label: z.string().trim().min(1).max(2_000).describe(askUserTexts.question),
		options: z.array(option()).max(MAX_OPTIONS).default([]).describe(askUserTexts.options),
		required: z.boolean().default(true).describe(askUserTexts.required),
		validation: z.string().max(MAX_PATTERN).default("").describe(askUserTexts.pattern),
	});
type Arguments = z.infer<ReturnType<typeof parameters>>;

/**
 * Asks a person a question and waits for the answer. For a password, the result is a handle instead of the
 * text.
 */
export const askUser = defineTool<Arguments>({
	name: "ask_user",
	description: askUserTexts.description,
	parameters,
	effect: "idempotent",
	usual: ["person"],
	plan,
	run,
});

async function plan(args: Arguments): Promise<ToolPlan> {
	const fault = faultOf(args);
	if (fault !== undefined) throw new ParleyError(fault, { code: "invalid_argument" });
	return { label: `ask ${visible(args.label)}`, classes: ["person"], preview: "", binding: {}, notes: [] };
}

async function run(args: Arguments, _plan: ToolPlan, context: ToolContext): Promise<ToolResult> {
	return describe(await context.ask({ ...args, options: args.options.map(readOption) }));
}

function faultOf({ type, options: given, validation }: Arguments): string | undefined {
	const options = given.map(readOption);
	const choosing = type === "select" || type === "multi";
	if (choosing && options.every(({ disabled }) => disabled)) return askUserTexts.needsOption(type);
	if (!choosing && options.length > 0) return askUserTexts.noOptions(type);
	if (choosing && validation !== "") return askUserTexts.noValidation(type);
	const values = options.map(({ value }) => value);
	const double = values.find((value, index) => values.indexOf(value) !== index);
	if (double !== undefined) return askUserTexts.twice(double);
	return validation === "" ? undefined : patternFault(validation);
}

function patternFault(pattern: string): string | undefined {
	try {
		RE2JS.compile(pattern);
		return undefined;
	} catch (reason) {
		return askUserTexts.badPattern(reason instanceof Error ? reason.message : "unreadable");
	}
}

function readOption(given: Arguments["options"][number]): PromptOption {
	return typeof given === "string" ? { value: given, label: given, description: "", disabled: false } : given;
}

function describe(answer: ElicitationAnswer): ToolResult {
	switch (answer.outcome) {
		case "answered": {
			const text = typeof answer.value === "string" ? answer.value : JSON.stringify(answer.value);
			return { text: text === "" ? askUserTexts.emptyAnswer : text, failed: false };
		}
		case "cancelled":
			return { text: withReason(askUserTexts.declined, answer.reason), failed: true };
		case "expired":
			return { text: askUserTexts.expired, failed: true };
	}
}

function withReason(text: string, reason = ""): string {
	return reason === "" ? text : `${text}: ${reason}`;
}
