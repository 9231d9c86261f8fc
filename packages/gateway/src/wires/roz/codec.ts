import { defined, ParleyError } from "@parley/base";
import type { ClientResult, ClientTool, HistoryMessage, Usage } from "@parley/core";
import type * as z from "zod";
import {
	type ContentPart,
	type ConversationMessage,
	type SessionResponse,
	type TokenUsage,
	ToolCategoryHint,
	type ToolResult,
	type ToolSchema,
} from "../../gen/roz/v1/agent.ts";
import { rozErrorTexts } from "../../texts/wires/grpc.ts";
import { isRetryable, type SessionErrorCode } from "./error-code.ts";

type ResponseCase = NonNullable<SessionResponse["response"]>;

/** Builds a response by the name of its field: `frame("textDelta", { messageId, content })`. */
export function frame<Case extends ResponseCase["$case"]>(
	$case: Case,
	value: Extract<ResponseCase, { $case: Case }>["value"],
): SessionResponse {
	// The cast is safe because the value belongs to the case.
	return { response: { $case, value } as ResponseCase };
}

export function errorFrame(code: SessionErrorCode, message: string): SessionResponse {
	return frame("error", { code, message, retryable: isRetryable(code) });
}

/**
 * Returns the message after its validation with a schema. Throws `invalid_argument` with the first problem of the
 * message.
 */
export function decode<Schema extends z.ZodType>(schema: Schema, message: unknown): z.output<Schema> {
	const checked = schema.safeParse(message);
	if (checked.success) return checked.data;
	const [issue] = checked.error.issues;
	throw new ParleyError(`${snakeCase(issue?.path.join(".") ?? "")}: ${issue?.message}`, {
		code: "invalid_argument",
	});
}

function snakeCase(name: string): string {
	// Generated code has camel case, but the protocol has names such as `max_context_tokens`.
	return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const categories = {
	[ToolCategoryHint.TOOL_CATEGORY_UNSPECIFIED]: "physical",
	[ToolCategoryHint.TOOL_CATEGORY_PHYSICAL]: "physical",
	[ToolCategoryHint.TOOL_CATEGORY_PURE]: "pure",
	[ToolCategoryHint.UNRECOGNIZED]: "physical",
} as const;

/** Decodes tools. If several tools have the same name, the last one applies. */
export function decodeTools(tools: readonly ToolSchema[]): readonly ClientTool[] {
	const byName = new Map(tools.map((tool) => [tool.name, tool]));
	return [...byName.values()].map(({ name, description, parametersSchema, timeoutMs, category }) => ({
		name,
		description,
		parameters: parametersSchema ?? {},
		timeoutMs,
		category: categories[category],
	}));
}

/** Separates the texts of the role `system`, which are instructions, from all other messages. */
export function decodeHistory(history: readonly ConversationMessage[]): {
	readonly messages: readonly HistoryMessage[];
	readonly system: readonly string[];
} {
	const system = history
		.filter(({ role }) => role === "system")
		.flatMap(({ parts }) => parts.flatMap(textOf));
	const messages = history
		.filter(({ role }) => role !== "system")
		.map(({ role, parts }) => ({ role, content: parts.flatMap(decodePart) }));
	return { messages, system };
}

function textOf({ part }: ContentPart): string[] {
	return part?.$case === "text" ? [part.value.text] : [];
}

function decodePart({ part }: ContentPart): HistoryMessage["content"] {
	switch (part?.$case) {
		case "text":
			return [{ type: "text", text: part.value.text }];
		case "thinking": {
			const { thinking, signature } = part.value;
			return [defined({ type: "thinking" as const, text: thinking, signature: signature || undefined })];
		}
		case "toolUse": {
			const { id, name, input } = part.value;
			return [{ type: "call", id, name, arguments: input ?? {} }];
		}
		case "toolResult": {
			const { toolUseId, content, isError } = part.value;
			return [{ type: "result", callId: toolUseId, text: content, failed: isError }];
		}
		case "image": {
			const { mediaType, data } = part.value;
			return [{ type: "image", mediaType, data: data.toString("base64") }];
		}
		case undefined:
			return [];
	}
}

export function decodeResult(encoded: ToolResult): ClientResult {
	const { success, result, exitCode, truncated, durationMs } = encoded;
	return defined({ success, text: result, truncated, exitCode, durationMs });
}

export function encodeRozUsage(usage: Usage): TokenUsage {
	return {
		inputTokens: usage.inputTokens,
		outputTokens: usage.outputTokens,
		cacheReadTokens: usage.cacheReadTokens,
		cacheCreationTokens: usage.cacheWriteTokens,
	};
}

const modes: Readonly<Record<string, "react" | "ooda">> = {
	react: "react",
	ooda: "ooda",
	ooda_react: "ooda",
	ooda_re_act: "ooda",
};

/** Decodes a mode. Throws `invalid_argument` for an unknown mode. */
export function decodeMode(mode: string): "react" | "ooda" {
	const found = Object.hasOwn(modes, mode) ? modes[mode] : undefined;
	if (found) return found;
	const known = Object.keys(modes).join(", ");
	throw new ParleyError(rozErrorTexts.noMode({ mode: JSON.stringify(mode), known }), {
		code: "invalid_argument",
	});
}
