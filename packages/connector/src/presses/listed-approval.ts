import type { MethodResult } from "@parley/protocol";
import type { Cut } from "../conversation/questions/cut.ts";
import { type FittedCard, fitCard } from "../conversation/questions/fit-card.ts";
import { platformOf } from "../conversation/questions/platform-of.ts";
import type { OpenQuestion } from "../conversation/questions/question.ts";
import { heading } from "../conversation/questions/question-card.ts";
import { askedFacts, openFacts } from "../conversation/questions/question-facts.ts";
import { readQuestion } from "../conversation/questions/read-question.ts";
import { plain } from "../conversation/vocabulary/plain.ts";
import type { Person, Room } from "../platform/inbound-event.ts";
import type { Control } from "../platform/posting.ts";
import type { Desk } from "../rooms/handler-context.ts";

/** An approval as `list_prompts` tells of it. */
export type ListedPrompt = MethodResult<"list_prompts">["prompts"][number];

/** Who looks, and where. */
interface Looking {
	readonly person: Person;
	readonly room: Room;
}

const longestName = 100;
const longestTitle = 100;

/** All of an approval that may be answered in the room; undefined where it waits no more, or is nothing for this room. */
export async function findListed(
	{ gateway, onBehalf }: Desk,
	token: string,
	{ person, room }: Looking,
): Promise<ListedPrompt | undefined> {
	const { prompts } = await gateway.request("list_prompts", {
		...{ approvals: true, token },
		...onBehalf(person, room),
	});
	return prompts.find((prompt) => prompt.token === token);
}

/** An approval as its card shows it. */
export function questionOf({ platform: { limits } }: Desk, prompt: ListedPrompt): OpenQuestion {
	return readQuestion(prompt, limits.post);
}

/** Paragraphs that say what is asked, by whom and where. */
export function listedFacts(
	desk: Desk,
	prompt: ListedPrompt,
	{ room, cut }: { readonly room: Room; readonly cut: Cut },
): string[] {
	const question = questionOf(desk, prompt);
	return [heading(question), askedBy(desk, prompt, room), ...askedFacts(question, cut)];
}

/** An approval as one post shows it, with room for a foot. */
export function listedCard(
	desk: Desk,
	prompt: ListedPrompt,
	{ room, foot }: { readonly room: Room; readonly foot: string },
): FittedCard {
	const { platform, controls } = desk;
	const scene = { platform, controls, session: prompt.session_id };
	return fitCard(platform, foot, (cut) => [
		...listedFacts(desk, prompt, { room, cut }),
		...openFacts(questionOf(desk, prompt), scene, cut),
	]);
}

/** What an approval is answered with; `cut`: what stands above does not show all of it, and nobody approves that unread. */
export function listedButtons(
	{ controls }: Desk,
	{ token, session_id: session, always_ask }: ListedPrompt,
	{ code, cut, whole = false }: { readonly code: string; readonly cut: boolean; readonly whole?: boolean },
): Control[] {
	const button = (
		kind: "listed-approve" | "listed-deny" | "listed-whole",
		label: string,
		style: "success" | "danger" | "secondary",
	): Control => {
		const id = controls.write({ kind, session, subject: token });
		return { type: "button", id, label: code === "" ? label : `${label} ${code}`, style };
	};
	return [
		// What is always asked about, no platform can approve.
		...(always_ask || cut ? [] : [button("listed-approve", "Approve once", "success")]),
		button("listed-deny", "Deny", "danger"),
		...(whole ? [] : [button("listed-whole", "Show all", "secondary")]),
	];
}

function askedBy({ platform }: Desk, prompt: ListedPrompt, { tenant, channel }: Room): string {
	const { person, name = "", place, session_title: title, created_at } = prompt;
	const here = `${platform.name}:${tenant}:${channel}`;
	const [of, within, id] = person?.split(":") ?? [];
	// Who is in another guild or team is perhaps known by their id to nobody here.
	const known =
		of === platform.name && within === tenant && id !== undefined ? platform.person(id) : undefined;
	const who = person === undefined ? "the operator" : (known ?? plain(name || person, longestName));
	const room = place === undefined || place === here ? "here" : `in ${platformOf(place)} (\`${place}\`)`;
	const about = title === "" ? "" : `, in “${plain(title, longestTitle)}”`;
	return `Asked by ${who} ${room}${about}, ${platform.moment(Date.parse(created_at), "relative")}.`;
}
