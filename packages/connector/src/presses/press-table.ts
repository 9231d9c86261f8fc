import type { ControlKind } from "../controls/control-kind.ts";
import { trustTexts } from "../texts/trust.ts";
import { pressesOfAnswers } from "./answers.ts";
import { pressesOfCards } from "./cards.ts";
import { pressesOfConversations } from "./conversations.ts";
import { pressesOfEdits } from "./edit-call.ts";
import { pressesOfListed } from "./listed.ts";
import type { PressHandlers } from "./press.ts";
import { pressesOfQuestions } from "./questions.ts";
import { pressesOfReviews } from "./review.ts";
import { pressesOfTasks } from "./tasks.ts";

export const pressesOfTrust: PressHandlers<"grant-end"> = {
	async "grant-end"(context, { event, key }, { session, subject: grant_id }) {
		const behalf = context.onBehalf(event.person, event.room);
		const open = context.session(session)?.state.trust.open?.id === grant_id;
		await context.gateway.request("revoke_grant", { grant_id, key, ...behalf });
		if (open) return;
		return { text: trustTexts.card.alreadyEnded };
	},
};

/** Handlers by kind of control. A missing kind fails to compile. `startSuggested` handles the kind `suggested`. */
export const pressTable: PressHandlers<Exclude<ControlKind, "suggested">> = {
	...pressesOfAnswers,
	...pressesOfQuestions,
	...pressesOfReviews,
	...pressesOfCards,
	...pressesOfConversations,
	...pressesOfEdits,
	...pressesOfListed,
	...pressesOfTasks,
	...pressesOfTrust,
};
