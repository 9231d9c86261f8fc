import { fillMoreThanRoom, fitTogether, halfTheRoom } from "../files/picture-room.ts";
import type { ImageBlock } from "../message.ts";
import { toRunRow } from "./queue.ts";
import type { Run, RunRow } from "./run.ts";
import { type Shown, type Standing, standingIn, unseenIn } from "./shown-pictures.ts";
import { type Change, readAgain, withoutPicturesOf, withoutSent, withoutShown } from "./take-out.ts";

/**
 * Makes room in the conversation for these pictures, the run's own message among them, of which those that come together
 * stay together, and returns those that are in it then: where they would be too many, the oldest of results and of
 * prompts are taken out for good. Attached ones stay, and so do those of the message that is worked on, and of results
 * that no model has answered to; nothing goes for what has no room beside these. What the model sees no more goes with
 * them, attached ones too, or by itself where it is more than the room.
 */
export async function makeRoom(run: Run, coming: readonly (readonly ImageBlock[])[]): Promise<ImageBlock[]> {
	const standing = await standingIn(run);
	const changes = await changesFor(run, standing, { coming, keepsAttached: true });
	if (changes.length === 0) return picturesOf(standing.shown);
	await run.commit(async ({ tx }) => {
		for (const change of changes) await change(tx);
	});
	await readAgain(run);
	return picturesOf((await standingIn(run)).shown);
}

/**
 * What makes the conversation fit the room again beside what is asked, attached pictures of earlier messages included;
 * nothing where it does already.
 */
export async function withinRoomAgain(run: Run, asked: readonly ImageBlock[]): Promise<readonly Change[]> {
	const { shown } = await standingIn(run);
	return changesFor(run, { shown, hidden: [] }, { coming: [asked], keepsAttached: false });
}

interface Wanted {
	readonly coming: readonly (readonly ImageBlock[])[];
	/** Whether pictures that were attached to earlier messages stay as long as the model sees them. */
	readonly keepsAttached: boolean;
}

async function changesFor(
	run: Run,
	{ shown, hidden }: Standing,
	{ coming, keepsAttached }: Wanted,
): Promise<readonly Change[]> {
	const fits = fitTogether([...picturesOf(shown), ...coming.flat()]);
	const fills = fillMoreThanRoom(picturesOf(hidden));
	if (fits && !fills) return [];
	const prompts = await readPrompts(run, [...shown, ...hidden]);
	const removable = removableIn(run, prompts, keepsAttached);
	const going = fits ? [] : oldestOf(shown, coming, removable);
	const unseen = fills || going.length > 0 ? hidden : [];
	const [old, gone] = [ordinalsOf(going), ordinalsOf(unseen)];
	const why = "taken out to make room";
	const withoutOld = keepsAttached ? withoutSent : withoutShown;
	return [
		...(await withoutPicturesOf(run, callIdsOf(going), `${why}: look again if you need it`)),
		...(await withoutPicturesOf(run, callIdsOf(unseen), undefined)),
		...prompts.flatMap((row) => {
			const reason = `${why}: ask for it again if you need it`;
			if (old.has(row.ordinal)) return [withoutOld(row, reason)];
			return gone.has(row.ordinal) ? [withoutShown(row, reason)] : [];
		}),
	];
}

function picturesOf(all: readonly Shown[]): ImageBlock[] {
	return all.flatMap(({ pictures }) => pictures);
}

function callIdsOf(all: readonly Shown[]): Set<string> {
	return new Set(all.flatMap((one) => ("callId" in one ? [one.callId] : [])));
}

function ordinalsOf(all: readonly Shown[]): Set<number> {
	return new Set(all.flatMap((one) => ("ordinal" in one ? [one.ordinal] : [])));
}

/** How many of the pictures that stand together can be taken out: of a message its first, others were attached. */
type Removable = (one: Shown) => number;

function removableIn(run: Run, prompts: readonly RunRow[], keepsAttached: boolean): Removable {
	const unseen = unseenIn(run);
	const sent = new Map(prompts.map(({ ordinal, images }) => [ordinal, images.length]));
	return (one) => {
		if ("callId" in one) return unseen.has(one.callId) ? 0 : one.pictures.length;
		const known = sent.get(one.ordinal);
		return known === undefined || keepsAttached ? (known ?? 0) : one.pictures.length;
	};
}

/** Half of the room is free of them then: else from then on each picture would take another's place. */
function oldestOf(
	shown: readonly Shown[],
	coming: readonly (readonly ImageBlock[])[],
	removable: Removable,
): readonly Shown[] {
	const staying = shown.flatMap((one) => one.pictures.slice(removable(one)));
	const wanted: ImageBlock[] = [];
	for (const together of coming) {
		if (fitTogether([...staying, ...wanted, ...together])) wanted.push(...together);
	}
	const going = new Set<Shown>();
	const left = (): ImageBlock[] => [
		...shown.flatMap((one) => (going.has(one) ? one.pictures.slice(removable(one)) : one.pictures)),
		...wanted,
	];
	if (fitTogether(left()) || !fitTogether([...staying, ...wanted])) return [];
	const room = halfTheRoom(left());
	for (const one of shown) {
		if (fitTogether(left(), room)) break;
		if (removable(one) > 0) going.add(one);
	}
	return [...going];
}

/** The earlier runs whose messages have these pictures, but for the one that is asked again. */
async function readPrompts({ history, row, session }: Run, all: readonly Shown[]): Promise<RunRow[]> {
	const again =
		row.retryOf === undefined ? undefined : history.findLast(({ messages }) => messages[0]?.role === "user");
	const ordinals = all.flatMap((one) =>
		"ordinal" in one && one.ordinal !== again?.ordinal ? [one.ordinal] : [],
	);
	if (ordinals.length === 0) return [];
	const rows = await session.deps.journal.store.read((db) =>
		db
			.selectFrom("runs")
			.selectAll()
			.where("session_id", "=", session.id)
			.where("ordinal", "in", ordinals)
			.execute(),
	);
	return rows.map(toRunRow);
}
