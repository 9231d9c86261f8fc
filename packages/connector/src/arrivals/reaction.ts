import type { ControlTarget } from "../controls/controls.ts";
import { pressesOfAnswers } from "../controls/presses-of-answers.ts";
import type { ArrivalOf } from "../platform/arrival.ts";
import type { Reply } from "../rooms/desk.ts";
import type { ArrivalParts, Turn } from "./arrival-parts.ts";
import { askedBy } from "./edited.ts";
import { findPost } from "./find-post.ts";

/** A sign at a message does what the button of the same name does at its answer. Undefined where there is none. */
export async function react(
	parts: ArrivalParts,
	arrival: ArrivalOf<"reaction">,
	{ key }: Turn,
): Promise<Reply | undefined> {
	const { sign, person, room, message, at } = arrival;
	const target = await meant(parts, arrival);
	if (target === undefined || person.bot) return undefined;
	await parts.feed.follow(target.session);
	const press = {
		...{ type: "press" as const, room, person, at, message, values: [], fields: {} },
		control: parts.controls.write(target),
	};
	const reply = await pressesOfAnswers[sign](parts.desk, { arrival: press, key }, target);
	// That it worked shows at the answer.
	return target.kind === "again" ? reply : undefined;
}

async function meant(
	parts: ArrivalParts,
	{ sign, room, message }: ArrivalOf<"reaction">,
): Promise<ControlTarget | undefined> {
	const asked = await askedBy(parts, room, message);
	if (asked) return { kind: sign, session: asked.session, subject: asked.run };
	return (await findPost(parts, message))?.controls.find(({ kind }) => kind === sign);
}
