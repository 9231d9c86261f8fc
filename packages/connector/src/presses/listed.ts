import { defined, definedItems, ParleyError } from "@parley/base";
import type { MethodResult } from "@parley/protocol";
import type { ControlTarget } from "../controls/controls.ts";
import { completeQuestion } from "../conversation/questions/complete-question.ts";
import type { Cut } from "../conversation/questions/cut.ts";
import { type FittedCard, fitCard } from "../conversation/questions/fit-card.ts";
import { answeredOutcome } from "../conversation/questions/outcome.ts";
import {
	boundSubject,
	type OpenQuestion,
	platformOf,
	versionOf,
} from "../conversation/questions/question.ts";
import { heading } from "../conversation/questions/question-card.ts";
import { callFacts, openFacts } from "../conversation/questions/question-facts.ts";
import { readQuestion } from "../conversation/questions/read-question.ts";
import type { Response } from "../conversation/questions/typed-answer.ts";
import { plainLine } from "../conversation/vocabulary/plain.ts";
import type { Person, Room } from "../platform/inbound-event.ts";
import type { CardLink, Control } from "../platform/posting.ts";
import type { HandledEvent, HandlerContext, Reply } from "../rooms/handler-context.ts";
import { approvalTexts } from "../texts/approvals.ts";
import { trustTexts } from "../texts/trust.ts";
import type { PressHandlers } from "./press.ts";

/**
 * Handlers of the buttons below a list of approvals. The answer to the press contains the result, because the calls may
 * belong to other channels.
 */
export const pressesOfListed: PressHandlers<"listed-approve" | "listed-deny" | "listed-details"> = {
	"listed-approve": async (context, handled, target) => {
		const [subject = "", version] = target.subject.split(".");
		const prompt = await findListed(context, subject, handled.event);
		if (prompt && version !== undefined && versionOf(questionOf(context, prompt)) !== version)
			return { text: texts.changed({ command: context.platform.command("approvals", handled.event.room) }) };
		const response = { value: "once", ...defined({ changes: prompt && (prompt.context.changes ?? 0) }) };
		return sendListedAnswer(context, handled, { target: { ...target, subject }, response, prompt });
	},
	"listed-deny": async (context, handled, target) => {
		const reason = handled.event.fields["reason"]?.trim() ?? "";
		const response = { cancelled: true, ...defined({ reason: reason || undefined }) };
		const prompt = await findListed(context, target.subject, handled.event);
		return sendListedAnswer(context, handled, { target, response, prompt });
	},
	"listed-details": async (context, { event }, { subject }) => {
		const prompt = await findListed(context, subject, event);
		if (!prompt) return { text: texts.closed };
		const buttons = listedButtons(context, prompt, { cut: false, complete: true });
		return { text: completeQuestion(prompt, context), controls: [buttons] };
	},
};

interface ListedAnswer {
	readonly target: ControlTarget;
	readonly response: Response;
	/**
	 * The approval; undefined if the approval is closed. For example, an earlier attempt of the same press may have
	 * answered it.
	 */
	readonly prompt: ListedPrompt | undefined;
}

async function sendListedAnswer(
	context: HandlerContext,
	{ event, key }: HandledEvent<"press">,
	{ target: { subject: token }, response, prompt }: ListedAnswer,
): Promise<Reply> {
	const { person, room } = event;
	try {
		const params = { token, key, ...response, ...context.onBehalf(person, room) };
		const { late } = await context.gateway.request("prompt_response", params);
		if (late) return { text: texts.closed };
		const { approvals: needed = 1 } = prompt?.context ?? {};
		const mayWait = needed > 1 && response.cancelled !== true;
		const stillWaits = mayWait && (await findListed(context, token, event)) !== undefined;
		const given = { event, response, token, prompt, ...defined({ needed: stillWaits ? needed : undefined }) };
		return { text: resultOf(context, given) };
	} catch (reason) {
		if (ParleyError.from(reason).code === "not_found") return { text: texts.closed };
		throw reason;
	}
}

interface Answered {
	readonly response: ListedAnswer["response"];
	readonly event: HandledEvent<"press">["event"];
	readonly token: string;
	readonly prompt: ListedAnswer["prompt"];
	/** Number of required approvals, if the call waits for further approvals. */
	readonly needed?: number;
}

function resultOf(
	context: HandlerContext,
	{ event: { person, room }, response, token, prompt, needed }: Answered,
): string {
	const { platform, clock } = context;
	const { cancelled = false, reason } = response;
	const by = `${platform.name}:${room.tenant}:${person.id}`;
	const given = {
		token,
		value: !cancelled,
		cancelled: cancelled === true,
		by,
		...defined({ reason: reason != null ? reason : undefined }),
	};
	const question = prompt ? questionOf(context, prompt) : { kind: "approval" as const, options: [] };
	const { words, details } = answeredOutcome(question, given, clock.now(), platform);
	const { text } = fitCard(platform, "", (cut) => [
		...(prompt ? listedFacts(context, prompt, { room, cut }) : []),
		...(needed === undefined ? [words, ...details(cut)] : [texts.counted({ needed })]),
	]);
	return text;
}

/** An approval from `list_prompts`. */
export type ListedPrompt = MethodResult<"list_prompts">["prompts"][number];

interface Looking {
	readonly person: Person;
	readonly room: Room;
}

const { list: texts } = approvalTexts;
const longestName = 100;
const longestTitle = 100;

/**
 * Returns a complete approval that may be answered in the room. Returns undefined if the approval is closed or
 * cannot be answered in the room.
 */
export async function findListed(
	{ gateway, onBehalf }: HandlerContext,
	token: string,
	{ person, room }: Looking,
): Promise<ListedPrompt | undefined> {
	const { prompts } = await gateway.request("list_prompts", {
		approvals: true,
		token,
		...onBehalf(person, room),
	});
	return prompts.find((prompt) => prompt.token === token);
}

function questionOf({ platform: { limits } }: HandlerContext, prompt: ListedPrompt): OpenQuestion {
	return readQuestion(prompt, limits);
}

function listedFacts(
	context: HandlerContext,
	prompt: ListedPrompt,
	{ room, cut, number }: Numbered & { readonly room: Room; readonly cut: Cut },
): string[] {
	const question = questionOf(context, prompt);
	return [heading(question, number), originOf(context, prompt, room), ...callFacts(question, cut)];
}

interface Listing extends Numbered {
	readonly room: Room;
	readonly foot: string;
}

/** Number of an approval in a list of several approvals. */
export interface Numbered {
	readonly number?: number;
}

/** Returns a card that shows an approval in one post, with space for a footer. */
export function listedCard(
	context: HandlerContext,
	prompt: ListedPrompt,
	{ room, foot, number }: Listing,
): FittedCard {
	const { platform, controls } = context;
	const scene = { platform, controls, session: prompt.session_id };
	const { show: showAll } = labelsOf(number);
	return fitCard(platform, foot, (cut) => [
		...listedFacts(context, prompt, { room, cut, ...defined({ number }) }),
		...openFacts(questionOf(context, prompt), scene, { cut, showAll }),
	]);
}

/** Returns the controls for an approval. With `cut`, the text omits a part of the call, so the call cannot be approved. */
export function listedButtons(
	context: HandlerContext,
	prompt: ListedPrompt,
	{ number, cut, complete = false }: Numbered & { readonly cut: boolean; readonly complete?: boolean },
): Control[] {
	const { token, session_id: session, always_ask } = prompt;
	const button = (
		kind: "listed-approve" | "listed-deny" | "listed-details",
		label: string,
		style: "success" | "danger" | "secondary",
	): Control => {
		const subject = kind === "listed-approve" ? boundSubject(questionOf(context, prompt)) : token;
		const id = context.controls.write({ kind, session, subject });
		return { type: "button", id, label, style };
	};
	const labels = labelsOf(number);
	return definedItems([
		// Only the operator can approve a call that always requires approval.
		always_ask || cut ? undefined : button("listed-approve", labels.approve, "success"),
		button("listed-deny", labels.deny, "danger"),
		complete ? undefined : button("listed-details", labels.show, "secondary"),
	]);
}

function labelsOf(number: number | undefined): Readonly<Record<"approve" | "deny" | "show", string>> {
	const { buttons } = approvalTexts;
	if (number === undefined) {
		return { approve: buttons.approveOnce, deny: buttons.deny, show: buttons.showAll };
	}
	return {
		approve: buttons.approveOne({ number }),
		deny: buttons.denyOne({ number }),
		show: buttons.showOne({ number }),
	};
}

function originOf({ platform }: HandlerContext, prompt: ListedPrompt, { tenant, channel }: Room): string {
	const { person, name = "", place, session_title: title, created_at } = prompt;
	const [of, within, id] = person?.split(":") ?? [];
	// A person of another guild or team may be unknown to the readers.
	const known =
		of === platform.name && within === tenant && id !== undefined ? platform.person(id) : undefined;
	return texts.requested({
		person:
			person === undefined ? trustTexts.operator : (known ?? (plainLine(name, longestName) || texts.unnamed)),
		channel: channelOf(place, { tenant, channel }, platform),
		about: title === "" ? "" : texts.inConversation({ title: plainLine(title, longestTitle) }),
		at: platform.moment(Date.parse(created_at)),
	});
}

function channelOf(
	place: string | undefined,
	here: CardLink["room"],
	{ name, linkTo }: HandlerContext["platform"],
): string {
	const [of, tenant, channel] = place?.split(":") ?? [];
	if (place === undefined || of === undefined || tenant === undefined || channel === undefined)
		return texts.here;
	const isHere = of === name && tenant === here.tenant;
	if (isHere && channel === here.channel) return texts.here;
	const link = isHere ? linkTo?.({ tenant, channel }) : undefined;
	return texts.inChannel({ platform: platformOf(place), link });
}
