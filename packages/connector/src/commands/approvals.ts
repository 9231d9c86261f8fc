import { defined, definedItems } from "@parley/base";
import { fitsPost } from "../conversation/questions/fit-card.ts";
import type { Person, Room } from "../platform/inbound-event.ts";
import {
	findListed,
	type ListedPrompt,
	listedButtons,
	listedCard,
	type Numbered,
} from "../presses/listed.ts";
import type { HandlerContext, Reply } from "../rooms/handler-context.ts";
import { approvalTexts } from "../texts/approvals.ts";
import type { Command } from "./command.ts";

/**
 * Maximum number of approvals in a post. Each approval has a row of buttons, and platforms limit the rows of a post.
 */
const maxShown = 4;
const maxListed = 200;

const approvals: Command = {
	name: "approvals",
	description: approvalTexts.list.description,
	options: [
		{
			name: "from",
			type: "integer",
			required: false,
			min: 1,
			max: maxListed,
			description: approvalTexts.list.from,
		},
	],
	async run(context, { event: { person, room, options } }) {
		const { prompts } = await context.gateway.request("list_prompts", {
			approvals: true,
			limit: maxListed,
			...context.onBehalf(person, room),
		});
		const { from = 1 } = options;
		return listOf(context, inOrder(prompts, context, person), { person, room, first: Number(from) - 1 });
	},
};

export const approvalCommands: readonly Command[] = [approvals];

/**
 * Groups the approvals, in the gateway's order within each group:
 * - requests of other people
 * - requests of this person
 * - calls that only the operator can approve
 */
function inOrder(
	prompts: readonly ListedPrompt[],
	{ platform: { name } }: HandlerContext,
	{ id }: Person,
): readonly ListedPrompt[] {
	const rank = ({ always_ask, person = "" }: ListedPrompt): number => {
		const [of, , user] = person.split(":");
		return always_ask ? 2 : of === name && user === id ? 1 : 0;
	};
	return prompts.toSorted((one, other) => rank(one) - rank(other));
}

interface Showing {
	readonly person: Person;
	readonly room: Room;
	/** Index of the first listed approval, from 0. */
	readonly first: number;
}

interface Shown extends Numbered {
	readonly prompt: ListedPrompt;
	readonly text: string;
	readonly cut: boolean;
}

/**
 * Returns a list of the first approvals that fit one post without cuts, at most `maxShown`. If the first approval
 * does not fit, the list has only that approval, with cuts.
 */
async function listOf(
	context: HandlerContext,
	all: readonly ListedPrompt[],
	showing: Showing,
): Promise<Reply> {
	const { platform } = context;
	const { room, first } = showing;
	const command = platform.command("approvals", room);
	const footAt = (next: number): string => {
		if (next >= all.length) return "";
		return approvalTexts.list.more({
			count: all.length - next,
			isLeast: all.length === maxListed,
			command: `${command} from:${next + 1}`,
		});
	};
	const shown: Shown[] = [];
	let next = first;
	for (; next < all.length && shown.length < maxShown; next += 1) {
		const card = await cardOf(context, all[next]?.token ?? "", {
			showing,
			foot: footAt(next + 1),
			...defined({ number: all.length > 1 ? next + 1 : undefined }),
		});
		// The approval may have been closed since the list was requested.
		if (!card) continue;
		const post = [...shown, card, { text: footAt(next + 1) }].map(({ text }) => text).join("\n\n");
		if (shown.length > 0 && (card.cut || shown[0]?.cut || !fitsPost(platform, post))) break;
		shown.push(card);
	}
	if (shown.length === 0) {
		const { none, noMore } = approvalTexts.list;
		return { text: first === 0 ? none : noMore({ number: first + 1, command }) };
	}
	const foot = footAt(next);
	return {
		text: definedItems([...shown.map(({ text }) => text), foot === "" ? undefined : foot]).join("\n\n"),
		controls: shown.map(({ prompt, ...one }) => listedButtons(context, prompt, one)),
	};
}

interface CardOptions extends Numbered {
	readonly showing: Showing;
	readonly foot: string;
}

async function cardOf(
	context: HandlerContext,
	token: string,
	{ showing: { person, room }, foot, ...numbered }: CardOptions,
): Promise<Shown | undefined> {
	const prompt = await findListed(context, token, { person, room });
	return prompt && { prompt, ...numbered, ...listedCard(context, prompt, { room, foot, ...numbered }) };
}
