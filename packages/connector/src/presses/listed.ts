import { ParleyError } from "@parley/base";
import type { ControlTarget } from "../controls/controls.ts";
import { fitCard } from "../conversation/questions/fit-card.ts";
import { answeredOutcome } from "../conversation/questions/outcome.ts";
import type { Response } from "../conversation/questions/typed-answer.ts";
import { wholeQuestion } from "../conversation/questions/whole-question.ts";
import type { Desk, Handled, Reply } from "../rooms/handler-context.ts";
import { findListed, type ListedPrompt, listedButtons, listedFacts, questionOf } from "./listed-approval.ts";
import type { PressHandlers } from "./press.ts";

/** What the buttons below a list of approvals do. Their rooms may be others': what came of a press is told at once. */
export const pressesOfListed: PressHandlers<"listed-approve" | "listed-deny" | "listed-whole"> = {
	"listed-approve": (desk, handled, target) => give(desk, handled, { target, response: { value: "once" } }),
	"listed-deny": (desk, handled, target) => {
		const reason = handled.arrival.fields["reason"]?.trim() ?? "";
		const response = { cancelled: true, ...(reason !== "" && { reason }) };
		return give(desk, handled, { target, response });
	},
	"listed-whole": async (desk, { arrival }, { subject }) => {
		const prompt = await findListed(desk, subject, arrival);
		if (!prompt) return { text: over };
		const buttons = listedButtons(desk, prompt, { code: "", cut: false, whole: true });
		return { text: wholeQuestion(prompt), controls: [buttons] };
	},
};

const over =
	"This waits no more, or not for an answer from here: it was answered already, or its time or its work has ended. Its card in the room where it was asked shows what came of it.";

interface Given {
	readonly target: ControlTarget;
	readonly response: Response;
}

async function give(
	desk: Desk,
	{ arrival, key }: Handled<"press">,
	{ target: { subject: token }, response }: Given,
): Promise<Reply> {
	const { person, room } = arrival;
	const asked = await findListed(desk, token, arrival);
	try {
		const params = { token, key, ...response, ...desk.onBehalf(person, room) };
		const { late } = await desk.gateway.request("prompt_response", params);
		return late ? { text: over } : { text: resultOf(desk, { arrival, response, token, asked }) };
	} catch (reason) {
		if (ParleyError.from(reason).code === "not_found") return { text: over };
		throw reason;
	}
}

interface Answered extends Pick<Given, "response">, Pick<Handled<"press">, "arrival"> {
	readonly token: string;
	/** Absent where the press is handled again, and its answer was taken before. */
	readonly asked: ListedPrompt | undefined;
}

/** The card with its result, as the room where it was asked sees it. */
function resultOf(desk: Desk, { arrival: { person, room }, response, token, asked }: Answered): string {
	const { platform, clock } = desk;
	const { cancelled = false, reason } = response;
	const by = `${platform.name}:${room.tenant}:${person.id}`;
	const given = {
		token,
		value: !cancelled,
		cancelled: cancelled === true,
		by,
		...(reason != null && { reason }),
	};
	const question = asked ? questionOf(desk, asked) : { kind: "approval" as const, options: [] };
	const { words, details } = answeredOutcome(question, given, clock.now(), platform);
	const { text } = fitCard(platform, "", (cut) => [
		...(asked ? listedFacts(desk, asked, { room, cut }) : []),
		words,
		...details(cut),
	]);
	return text;
}
