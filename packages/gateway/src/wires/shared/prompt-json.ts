import { defined } from "@parley/base";
import type { Prompt } from "@parley/core";
import type { PromptRequestPayload } from "@parley/protocol";
import { toTime } from "./time.ts";

export function encodePrompt(prompt: Prompt): PromptRequestPayload {
	const { approval, callId, taskId } = prompt;
	const common = defined({ expires_at: toTime(prompt.expiresAt), task_id: taskId });
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
			? defined({
					call_id: approval.callId,
					tool: approval.tool,
					arguments: approval.arguments,
					preview: approval.preview,
					risk: approval.risk,
					allow_session: approval.allowSession,
					notes: approval.notes,
					warnings: approval.warnings,
					approvals: approval.approvals,
					changes: approval.changes,
					also_in: approval.alsoIn,
					reply: approval.reply,
					notify: approval.notify,
					always_allow: approval.offered,
					...common,
				})
			: defined({ call_id: callId, ...common }),
	};
}
