import type { Explanation } from "@parley/core";
import type { MethodResult } from "@parley/protocol";
import { encodeFile } from "../shared/file-json.ts";
import { toTime } from "../shared/time.ts";
import { encodeUsage } from "../shared/usage-json.ts";

/** What became of a message, for `explain`. */
export function encodeExplanation(explained: Explanation): MethodResult<"explain"> {
	const { heard, said } = explained;
	const { at, attachments, ...message } = heard;
	return {
		run_id: explained.runId,
		correlation_id: explained.correlation,
		state: explained.state,
		heard: { ...message, ts: toTime(at), attachments: attachments.map(encodeFile) },
		steered: explained.steered.map(({ at: saidAt, ...steer }) => ({ ...steer, ts: toTime(saidAt) })),
		profile: explained.profile,
		policy_version: explained.policyVersion,
		accept_all: explained.acceptAll,
		taint: [...explained.taint],
		models: explained.models.map(({ errors, ...model }) => ({ ...model, errors: [...errors] })),
		calls: explained.calls.map(({ callId, ...call }) => ({ call_id: callId, ...call })),
		...(said && {
			said: {
				...{ content: said.content, error: said.error, ts: toTime(said.at), model: said.model },
				usage: encodeUsage({ ...said.usage, cost: said.cost }),
			},
		}),
		files: explained.files.map(encodeFile),
		feedback: explained.feedback.map((given) => ({ ...given })),
	};
}
