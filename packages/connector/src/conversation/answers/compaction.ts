import type { EventPayloads } from "@parley/protocol";
import { conversationTexts } from "../../texts/conversations.ts";
import type { ShowOperation } from "../vocabulary/render-operation.ts";
import { clause, notice } from "./notice.ts";

const tokens = new Intl.NumberFormat("en");

/** Shows the end of a compaction that a person requested. */
export function showCompaction({
	status,
	tokens_before,
	tokens_after,
	error,
}: EventPayloads["compaction.ended"]): ShowOperation {
	const { compact: texts } = conversationTexts;
	switch (status) {
		case "compacted":
			return notice(
				"milestone",
				texts.compacted({ before: tokens.format(tokens_before), after: tokens.format(tokens_after) }),
			);
		case "unchanged":
			return notice("milestone", texts.unchanged);
		case "cancelled":
			return notice("milestone", texts.cancelled);
		case "failed":
			return notice("error", texts.failed({ error: clause(error) }), "failed");
	}
}
