import { ParleyError } from "@parley/base";
import type { Keyed, Prompt, PromptResponse, SessionEvent } from "@parley/core";
import type { PermissionDecision } from "../../../gen/roz/v1/agent.ts";
import { rozErrorTexts } from "../../../texts/wires/grpc.ts";
import type { SessionView } from "../../view/session-view.ts";

/** Changed arguments, or the reason why the modifier is refused. */
type Narrowed<Value = Fields> =
	| { readonly value: Value; readonly problem?: undefined }
	| { readonly problem: string };

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the arguments with the values of a modifier, or a problem. A modifier replaces values with values of the
 * same type. It cannot add arguments or elements, because the approver has not seen them.
 */
function narrowed(args: unknown, modifier: Fields): Narrowed {
	return isFields(args) ? narrowedFields(args, modifier, "") : refused("", rozErrorTexts.otherType);
}

function narrowedFields(args: Fields, modifier: Fields, path: string): Narrowed {
	const changed: Record<string, unknown> = { ...args };
	for (const [name, value] of Object.entries(modifier)) {
		const inner = path === "" ? name : `${path}.${name}`;
		if (!Object.hasOwn(args, name)) return refused(inner, rozErrorTexts.noArgument);
		const part = narrowedValue(args[name], value, inner);
		if (part.problem !== undefined) return part;
		changed[name] = part.value;
	}
	return { value: changed };
}

function narrowedValue(args: unknown, modifier: unknown, path: string): Narrowed<unknown> {
	if (isFields(args) && isFields(modifier)) return narrowedFields(args, modifier, path);
	if (Array.isArray(args) && Array.isArray(modifier)) {
		if (args.length !== modifier.length) return refused(path, rozErrorTexts.otherLength);
		return narrowedItems(args, modifier, path);
	}
	return kindOf(args) === kindOf(modifier) ? { value: modifier } : refused(path, rozErrorTexts.otherType);
}

function narrowedItems(
	args: readonly unknown[],
	modifier: readonly unknown[],
	path: string,
): Narrowed<unknown> {
	const changed: unknown[] = [];
	for (const [index, item] of args.entries()) {
		const part = narrowedValue(item, modifier[index], `${path}[${index}]`);
		if (part.problem !== undefined) return part;
		changed.push(part.value);
	}
	return { value: changed };
}

function refused(path: string, problem: string): { readonly problem: string } {
	return { problem: `${path === "" ? "it" : path} ${problem}` };
}

function kindOf(value: unknown): string {
	if (value === null) return "null";
	return Array.isArray(value) ? "array" : typeof value;
}

function isFields(value: unknown): value is Fields {
	return kindOf(value) === "object";
}

/** Returns the response of an approver. An invalid modifier denies the call, with the reason. */
function responseTo(
	{ approved, modifier }: { readonly approved: boolean; readonly modifier: Fields | undefined },
	args: unknown,
): PromptResponse {
	if (!approved) return { cancelled: true };
	if (!modifier) return { value: true };
	const changed = narrowed(args, modifier);
	if (changed.problem !== undefined) return unusable(changed.problem);
	return { value: true, arguments: changed.value, narrows: true };
}

function unusable(problem: string): PromptResponse {
	return { cancelled: true, reason: rozErrorTexts.invalidModifier({ problem }) };
}

/** Answers an approval. If the changed arguments are invalid or do more than the call, denies the call with the reason. */
export async function answerApproval(
	view: SessionView,
	request: Keyed,
	{ token, response }: ApprovalAnswer,
): Promise<void> {
	try {
		await view.answer(request, token, response);
	} catch (reason) {
		const { code, message } = ParleyError.from(reason);
		if (response.arguments === undefined || code !== "invalid_argument") throw reason;
		await view.answer(request, token, unusable(message));
	}
}

/** Open approvals of a session, including approvals in turns that other clients started. */
export class OpenApprovals {
	readonly #prompts = new Map<string, Prompt>();

	receive(event: SessionEvent["event"]): void {
		switch (event.type) {
			case "prompt.requested":
			case "prompt.shown":
				if (event.prompt.approval) this.#prompts.set(event.prompt.token, event.prompt);
				break;
			case "prompt.answered":
			case "prompt.closed":
				this.#prompts.delete(event.token);
				break;
			default:
				break;
		}
	}

	/**
	 * Returns the answer to the open approval that a decision names by the id of the approval or by the id of the call.
	 * If several runs have calls with the same id, an approval for which `isOwn` returns true has precedence. Returns
	 * undefined if the decision names no approval, or several approvals of other runs.
	 */
	answerTo(
		{ toolCallId, approved, modifier }: PermissionDecision,
		isOwn: (prompt: Prompt) => boolean,
	): ApprovalAnswer | undefined {
		const named = [...this.#prompts.values()].filter(({ approval }) => approval?.callId === toolCallId);
		const [only, ...others] = named;
		const prompt =
			this.#prompts.get(toolCallId) ?? named.find(isOwn) ?? (others.length === 0 ? only : undefined);
		if (!prompt?.approval) return undefined;
		const { callId, arguments: args } = prompt.approval;
		return { token: prompt.token, callId, response: responseTo({ approved, modifier }, args) };
	}
}

export interface ApprovalAnswer {
	readonly token: string;
	readonly callId: string;
	readonly response: PromptResponse;
}
