import { fitTogether, halfTheRoom } from "../files/picture-room.ts";
import type { ImageBlock } from "../message.ts";
import { toRunRow } from "./queue.ts";
import type { Run, RunRow } from "./run.ts";
import { type Shown, shownIn, unseenIn } from "./shown-pictures.ts";
import { readAgain, withoutPicturesOf, withoutSent } from "./take-out.ts";

/**
 * Makes room in the conversation for these pictures, the run's own message among them, and returns those that are in it
 * then: where they would be too many, the oldest of results and of prompts are taken out for good. Attached ones stay,
 * and so do those of the message that is worked on, and of results that no model has answered to.
 */
export async function makeRoom(run: Run, coming: readonly ImageBlock[]): Promise<readonly ImageBlock[]> {
	const shown = await shownIn(run);
	const before = shown.flatMap(({ pictures }) => pictures);
	if (coming.length === 0 || fitTogether([...before, ...coming])) return before;
	const prompts = await readPrompts(run, shown);
	const going = oldestOf(shown, coming, removableIn(run, prompts));
	if (going.size === 0) return before;
	const gone = [...going];
	const callIds = new Set(gone.flatMap((one) => ("callId" in one ? [one.callId] : [])));
	const ordinals = new Set(gone.flatMap((one) => ("ordinal" in one ? [one.ordinal] : [])));
	const changes = [
		...(await withoutPicturesOf(run, callIds, "taken out to make room: look again if you need it")),
		...prompts
			.filter(({ ordinal }) => ordinals.has(ordinal))
			.map((row) => withoutSent(row, "taken out to make room: ask for it again if you need it")),
	];
	await run.commit(async (tx) => {
		for (const change of changes) await change(tx);
	});
	await readAgain(run);
	return (await shownIn(run)).flatMap(({ pictures }) => pictures);
}

/** How many of the pictures that stand together can be taken out: of a message its first, others were attached. */
type Removable = (one: Shown) => number;

function removableIn(run: Run, prompts: readonly RunRow[]): Removable {
	const unseen = unseenIn(run);
	const sent = new Map(prompts.map(({ ordinal, images }) => [ordinal, images.length]));
	return (one) => {
		if ("ordinal" in one) return sent.get(one.ordinal) ?? 0;
		return unseen.has(one.callId) ? 0 : one.pictures.length;
	};
}

/** Half of the room is free of them then: else from then on each picture would take another's place. */
function oldestOf(
	shown: readonly Shown[],
	coming: readonly ImageBlock[],
	removable: Removable,
): ReadonlySet<Shown> {
	const going = new Set<Shown>();
	const left = (): ImageBlock[] =>
		shown.flatMap((one) => (going.has(one) ? one.pictures.slice(removable(one)) : one.pictures));
	const room = halfTheRoom([...left(), ...coming]);
	for (const one of shown) {
		if (fitTogether([...left(), ...coming], room)) break;
		if (removable(one) > 0) going.add(one);
	}
	return going;
}

/** The earlier runs with pictures within their messages that the model sees, but for the one that is asked again. */
async function readPrompts({ history, row, session }: Run, shown: readonly Shown[]): Promise<RunRow[]> {
	const again =
		row.retryOf === undefined ? undefined : history.findLast(({ messages }) => messages[0]?.role === "user");
	const ordinals = shown.flatMap((one) =>
		"ordinal" in one && one.ordinal !== again?.ordinal ? [one.ordinal] : [],
	);
	if (ordinals.length === 0) return [];
	const rows = await session.deps.journal.store.read((db) =>
		db
			.selectFrom("runs")
			.selectAll()
			.where("session_id", "=", session.id)
			.where("ordinal", "in", ordinals)
			.where("images", "is not", null)
			.execute(),
	);
	return rows.map(toRunRow);
}
