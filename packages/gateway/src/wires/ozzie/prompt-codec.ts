import type { OpenPrompt, Prompt } from "@parley/core";
import type { MethodResult, PromptRequestPayload } from "@parley/protocol";
import { toTime } from "./time.ts";

/** A question as `prompt.request` shows it. */
export function encodePrompt(prompt: Prompt): PromptRequestPayload {
	const { approval, taskId } = prompt;
	const common = { expires_at: toTime(prompt.expiresAt), ...(taskId !== undefined && { task_id: taskId }) };
	return {
		type: prompt.type,
		label: prompt.label,
		token: prompt.token,
		required: prompt.required,
		options: prompt.options,
		default: null,
		placeholder: prompt.placeholder,
		validation: prompt.validation,
		context: approval
			? {
					call_id: approval.callId,
					tool: approval.tool,
					arguments: approval.arguments,
					preview: approval.preview,
					risk: approval.risk,
					allow_session: approval.allowSession,
					notes: approval.notes,
					...(approval.alsoIn && { also_in: approval.alsoIn }),
					...(approval.reply && { reply: approval.reply }),
					...common,
				}
			: common,
	};
}

/** A question in the list of those that wait; `whole` with all that its call is about, which may be long. */
export function encodeOpenPrompt(
	open: OpenPrompt,
	whole: boolean,
): MethodResult<"list_prompts">["prompts"][number] {
	const { prompt, sessionId, sessionTitle, place, createdAt, requester, alwaysAsk } = open;
	const shown = encodePrompt(prompt);
	const { arguments: given, preview, notes, also_in, ...short } = shown.context;
	const long = { arguments: given, ...(preview !== undefined && { preview }) };
	return {
		...shown,
		options: [...shown.options],
		context: {
			...{ ...short, ...(notes && { notes: [...notes] }), ...(also_in && { also_in: [...also_in] }) },
			...(whole && prompt.approval && long),
		},
		...{ session_id: sessionId, session_title: sessionTitle, created_at: toTime(createdAt) },
		...(requester && { person: requester.id, name: requester.name }),
		...(place !== undefined && { place }),
		always_ask: alwaysAsk,
	};
}
