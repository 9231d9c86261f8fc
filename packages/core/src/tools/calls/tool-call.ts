import { createHash } from "node:crypto";
import { ParleyError } from "@parley/base";
import canonicalize from "canonicalize";
import type * as z from "zod";
import { visible } from "../../text/visible.ts";
import type { Tool, ToolContext, ToolPlan, ToolResult } from "../../vocabulary/tool.ts";
import { describeTools, normaliseCall, type WrittenCall } from "./normalise-call.ts";
import { toolCallTexts } from "./texts.ts";

/** Tool call with valid arguments and a plan, before a policy decision. */
export interface ReadyCall {
	readonly kind: "ready";
	readonly tool: Tool;
	/** Arguments in their normal form. */
	readonly arguments: unknown;
	/** Arguments as the schema of the tool parsed them. */
	readonly args: unknown;
	readonly plan: ToolPlan;
}

/** Tool call that is invalid or cannot be planned. `text` gives the model the reason. */
export interface RefusedCall {
	readonly kind: "refused";
	readonly text: string;
	/** True if `plan` refused the call. The refusal may depend on state that earlier calls change. */
	readonly found?: true;
}

const MAX_SHOWN = 200;

/**
 * Finds the tool of a call, checks the arguments and plans the call. Never rejects: a failure becomes a
 * refusal.
 */
export async function prepareCall(
	tools: readonly Tool[],
	call: WrittenCall,
	context: ToolContext,
): Promise<ReadyCall | RefusedCall> {
	if (call.invalid !== undefined) return refused(toolCallTexts.notRun(call.invalid));
	const normal = normaliseCall(tools, call);
	const tool = tools.find(({ name }) => name === normal.name);
	if (!tool) {
		const names = tools.map(({ name }) => name).join(", ");
		return refused(toolCallTexts.unknown(quoted(call.name), names));
	}
	if (normal.problem !== undefined) return refused(toolCallTexts.invalid(tool.name, normal.problem));
	const parsed = tool.parameters().safeParse(normal.arguments);
	if (!parsed.success) {
		return refused(
			toolCallTexts.wrongArguments(
				tool.name,
				faultsOf(parsed.error.issues),
				namesFor(tool, parsed.error.issues),
			),
		);
	}
	try {
		const plan = await tool.plan(parsed.data, context);
		return { kind: "ready", tool, arguments: normal.arguments, args: parsed.data, plan };
	} catch (reason) {
		return { ...refused(faultOf(reason, tool, context)), found: true };
	}
}

/** Runs an allowed tool call. Never rejects: an error of the tool becomes a failed result for the model. */
export async function executeCall(
	{ tool, args, plan }: ReadyCall,
	context: ToolContext,
): Promise<ToolResult> {
	try {
		return await tool.run(args, plan, context);
	} catch (reason) {
		const fault = faultOf(reason, tool, context);
		return { text: context.signal.aborted ? "cancelled" : `${tool.name} failed: ${fault}`, failed: true };
	}
}

/**
 * Returns the text that binds an approval to a tool call. It contains SHA-256 hashes of canonical JSON
 * (https://www.rfc-editor.org/rfc/rfc8785):
 *
 * - a hash of each fact in the plan's `binding`
 * - a hash of the policy version
 * - a hash of the tool name together with the normalised arguments
 *
 * Throws `internal` if a value is not JSON.
 */
export function bindingText(
	{ name, arguments: args }: { readonly name: string; readonly arguments: unknown },
	{ binding }: { readonly binding: ToolPlan["binding"] },
	policyVersion: string,
): string {
	const facts = Object.entries({ ...binding, policy: policyVersion, arguments: { name, arguments: args } });
	return facts
		.map(([fact, value]) => `${fact}=${hashOf(value)}`)
		.sort()
		.join(" ");
}

/** Returns `binding` with the policy version `to`. Returns undefined if the policy version of `binding` is not `from`. */
export function boundUnder(binding: string, from: string, to: string): string | undefined {
	const facts = binding.split(" ");
	const old = `policy=${hashOf(from)}`;
	if (!facts.includes(old)) return undefined;
	return facts
		.map((fact) => (fact === old ? `policy=${hashOf(to)}` : fact))
		.sort()
		.join(" ");
}

/** Returns the names of the facts that differ between two bindings. Returns an empty list if the bindings are equal. */
export function changedSince(approved: string, now: string): string[] {
	const [before, after] = [approved.split(" "), now.split(" ")];
	const different = [
		...before.filter((fact) => !after.includes(fact)),
		...after.filter((fact) => !before.includes(fact)),
	];
	return [...new Set(different.map((fact) => fact.replace(/=.*$/, "")))];
}

function hashOf(value: unknown): string {
	const text = canonicalize(value);
	if (text === undefined) throw new ParleyError(toolCallTexts.notJson, { code: "internal" });
	return createHash("sha256").update(text).digest("hex");
}

/** Returns the error message for the model. Logs only errors with the code `internal`. */
function faultOf(reason: unknown, tool: Tool, { log, callId }: ToolContext): string {
	const error = ParleyError.from(reason);
	if (error.code === "internal") log.error(toolCallTexts.failed, { tool: tool.name, callId, error: reason });
	return error.message;
}

/** Returns the list of allowed arguments, or "" if the model used no unknown argument. */
function namesFor(tool: Tool, issues: readonly z.core.$ZodIssue[]): string {
	if (!issues.some(({ code, path }) => code === "unrecognized_keys" && path.length === 0)) return "";
	const names = Object.keys(Object(describeTools([tool])[0]?.parameters["properties"]));
	return toolCallTexts.argumentNames(names);
}

function refused(text: string): RefusedCall {
	return { kind: "refused", text };
}

/** Returns at most ten faults, for example `cmd: expected string, received undefined`. */
export function faultsOf(issues: readonly z.core.$ZodIssue[]): string {
	return issues.slice(0, 10).map(faultOfIssue).join("; ");
}

function faultOfIssue(issue: z.core.$ZodIssue): string {
	const field = issue.path.map(String).join(".");
	const place = field === "" ? "" : `${visible(field)}: `;
	if (issue.code === "unrecognized_keys")
		return toolCallTexts.unknownArguments(place, issue.keys.map(quoted));
	if (issue.code === "invalid_key") return `${place}${issue.issues.map(({ message }) => message).join(", ")}`;
	if (issue.code === "invalid_union") {
		const alternatives = new Set(issue.errors.map((errors) => faultsOf(errors)));
		return `${place}${[...alternatives].join(", or ")}`;
	}
	return `${place}${issue.message.replace(/^Invalid input: /, "").replace(/^[A-Z]/, (first) => first.toLowerCase())}`;
}

function quoted(text: string): string {
	const shown = visible(text);
	return `"${shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown}"`;
}
