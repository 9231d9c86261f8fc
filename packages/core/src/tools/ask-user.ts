import { ParleyError } from "@parley/base";
import { RE2JS } from "re2js";
import * as z from "zod";
import { visible } from "../text/visible.ts";
import type { ElicitationAnswer, PromptOption } from "../vocabulary/prompt.ts";
import { defineTool, type ToolContext, type ToolPlan, type ToolResult } from "../vocabulary/tool.ts";

const MAX_OPTIONS = 100;
const MAX_PATTERN = 500;

const option = () =>
	z.union([
		z.string().min(1).max(200),
		z.strictObject({
			value: z.string().min(1).max(200),
			label: z.string().min(1).max(200),
			description: z.string().max(500).default(""),
			disabled: z.boolean().default(false).describe("Shown, but cannot be chosen."),
		}),
	]);

const parameters = () =>
	z.strictObject({
		type: z
			.enum(["text", "select", "multi", "password"])
			.describe(
				"text: words; select: one option; multi: any number of options; password: a value you never see.",
			),
		label: z.string().trim().min(1).max(2_000).describe("The question."),
		options: z.array(option()).max(MAX_OPTIONS).default([]).describe("The options, for select and multi."),
		required: z.boolean().default(true).describe("Whether an empty answer is refused."),
		validation: z
			.string()
			.max(MAX_PATTERN)
			.default("")
			.describe(
				"A regular expression (RE2 syntax) that the complete answer must match; for text and password.",
			),
	});
type Arguments = z.infer<ReturnType<typeof parameters>>;

/** Asks the person a question and waits for the answer. The result for a password is its handle. */
export const askUser = defineTool<Arguments>({
	name: "ask_user",
	description:
		"Asks the person a question and waits for the answer. Use it when you cannot continue without a fact or a " +
		"decision that only the person has. Not for facts that you can find yourself, and not for permission to use a " +
		"tool: Parley requests approvals itself. For a password you get a handle (secret:…) in place of the value: " +
		"tools with a parameter for secrets, such as run_command, accept it.",
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

/** Reason why the question is invalid, or undefined. */
function faultOf({ type, options: given, validation }: Arguments): string | undefined {
	const options = given.map(readOption);
	const choosing = type === "select" || type === "multi";
	if (choosing && options.every(({ disabled }) => disabled))
		return `options: ${type} needs an option that is not disabled`;
	if (!choosing && options.length > 0) return `options: ${type} takes no options: use select or multi`;
	if (choosing && validation !== "")
		return `validation: ${type} takes no validation: the options are the valid answers`;
	const values = options.map(({ value }) => value);
	const double = values.find((value, index) => values.indexOf(value) !== index);
	if (double !== undefined) return `options: ${JSON.stringify(double)} occurs twice`;
	return validation === "" ? undefined : patternFault(validation);
}

function patternFault(pattern: string): string | undefined {
	try {
		RE2JS.compile(pattern);
		return undefined;
	} catch (reason) {
		return `validation: not a pattern in RE2 syntax: ${reason instanceof Error ? reason.message : "unreadable"}`;
	}
}

function readOption(given: Arguments["options"][number]): PromptOption {
	return typeof given === "string" ? { value: given, label: given, description: "", disabled: false } : given;
}

function describe(answer: ElicitationAnswer): ToolResult {
	switch (answer.outcome) {
		case "answered": {
			const text = typeof answer.value === "string" ? answer.value : JSON.stringify(answer.value);
			return { text: text === "" ? "(an empty answer)" : text, failed: false };
		}
		case "cancelled":
			return { text: withReason("the person declined to answer", answer.reason), failed: true };
		case "expired":
			return { text: "no answer: the question expired", failed: true };
	}
}

function withReason(text: string, reason = ""): string {
	return reason === "" ? text : `${text}: ${reason}`;
}
