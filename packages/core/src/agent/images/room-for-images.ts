import { historyFor, type RunRow, readHistory, readSteps, toRunRow } from "../../conversation/queue.ts";
import type { Files } from "../../files/files.ts";
import { describedOnly, fillMoreThanRoom, fitTogether, halfOfRoom, imageBytes } from "../../files/images.ts";
import { fromRow, type Tx } from "../../store/journal.ts";
import { stepHash } from "../../store/text-hash.ts";
import type { ImageBlock, Message, ResultBlock } from "../../vocabulary/message.ts";
import type { Step } from "../../vocabulary/step.ts";
import type { Attachment } from "../../vocabulary/stored-file.ts";
import type { RunTranscript } from "../../vocabulary/transcript.ts";
import { messagesOf } from "../../vocabulary/transcript.ts";
import type { Contexts } from "../context/contexts.ts";
import { viewOf } from "../context/view.ts";
import type { Run } from "../run/run.ts";
import { imageTexts } from "./texts.ts";

export interface ImagePorts {
	readonly files: Files;
	readonly contexts: Contexts;
}

/**
 * Makes room in the conversation for the new images in `coming`, which include the images of the run's own message.
 * Images in the same inner list stay together. Returns the images that the conversation contains after the removal,
 * without the new images. If the images of the conversation and the new images do not fit together, permanently removes
 * the oldest images of results and of earlier messages. Also removes all images that the model no longer sees. If only
 * the images that the model no longer sees exceed the room, removes only those images. Never removes:
 * - attached images that the model still sees
 * - images of the current message
 * - images of results that no model has answered A new group that does not fit together with these images causes no
 *   removal.
 */
export async function makeRoom(
	run: Run,
	coming: readonly (readonly ImageBlock[])[],
	ports: ImagePorts,
): Promise<ImageBlock[]> {
	const images = await sessionImages(run, ports.contexts);
	const changes = await changesFor(run, images, { coming, protectsAttached: true });
	if (changes.length === 0) return imagesOf(images.shown);
	await run.commit(async ({ tx }) => {
		for (const change of changes) await change(tx);
	});
	await reloadImages(run, ports.files);
	return imagesOf((await sessionImages(run, ports.contexts)).shown);
}

/**
 * Returns changes after which the conversation and `current`, the images of the current message, fit again. The changes
 * may remove attached images of earlier messages. Returns an empty list if all images fit, or if the images that must
 * stay exceed the room.
 */
export async function changesToFit(
	run: Run,
	current: readonly ImageBlock[],
	contexts: Contexts,
): Promise<readonly Change[]> {
	const { shown } = await sessionImages(run, contexts);
	return changesFor(run, { shown, hidden: [] }, { coming: [current], protectsAttached: false });
}

interface RequestedImages {
	readonly coming: readonly (readonly ImageBlock[])[];
	/** Whether attached images that the model still sees are never removed. */
	readonly protectsAttached: boolean;
}

async function changesFor(
	run: Run,
	{ shown, hidden }: SessionImages,
	{ coming, protectsAttached }: RequestedImages,
): Promise<readonly Change[]> {
	const fits = fitTogether([...imagesOf(shown), ...coming.flat()]);
	const fills = fillMoreThanRoom(imagesOf(hidden));
	if (fits && !fills) return [];
	const prompts = await readPrompts(run, [...shown, ...hidden]);
	const removable = removableIn(run, prompts, protectsAttached);
	const removed = fits ? [] : oldestOf(shown, coming, removable);
	const unseen = fills || removed.length > 0 ? hidden : [];
	const [old, hiddenNow] = [ordinalsOf(removed), ordinalsOf(unseen)];
	const cause = imageTexts.madeRoom;
	const withoutOld = protectsAttached ? withoutSent : withoutShown;
	return [
		...(await withoutImagesOf(run, callIdsOf(removed), imageTexts.reloadImages(cause))),
		...(await withoutImagesOf(run, callIdsOf(unseen), undefined)),
		...prompts.flatMap((row) => {
			const askAgainText = imageTexts.askAgain(cause);
			if (old.has(row.ordinal)) return [withoutOld(row, askAgainText)];
			return hiddenNow.has(row.ordinal) ? [withoutShown(row, askAgainText)] : [];
		}),
	];
}

function imagesOf(all: readonly Shown[]): ImageBlock[] {
	return all.flatMap(({ images }) => images);
}

function callIdsOf(all: readonly Shown[]): Set<string> {
	return new Set(all.flatMap((one) => ("callId" in one ? [one.callId] : [])));
}

function ordinalsOf(all: readonly Shown[]): Set<number> {
	return new Set(all.flatMap((one) => ("ordinal" in one ? [one.ordinal] : [])));
}

/** Returns the number of removable images, counted from the first image. In a message, attached images are last. */
type Removable = (one: Shown) => number;

function removableIn(run: Run, prompts: readonly RunRow[], protectsAttached: boolean): Removable {
	const unseen = unseenIn(run);
	const sent = new Map(prompts.map(({ ordinal, images }) => [ordinal, images.length]));
	return (one) => {
		if ("callId" in one) return unseen.has(one.callId) ? 0 : one.images.length;
		const known = sent.get(one.ordinal);
		return known === undefined || protectsAttached ? (known ?? 0) : one.images.length;
	};
}

/**
 * Returns the oldest image groups to remove so that `coming` fits. Returns none if all images fit, or if the images
 * that must stay exceed the room.
 */
function oldestOf(
	shown: readonly Shown[],
	coming: readonly (readonly ImageBlock[])[],
	removable: Removable,
): readonly Shown[] {
	const staying = shown.flatMap((one) => one.images.slice(removable(one)));
	const requested: ImageBlock[] = [];
	for (const together of coming) {
		if (fitTogether([...staying, ...requested, ...together])) requested.push(...together);
	}
	const removed = new Set<Shown>();
	const left = (): ImageBlock[] => [
		...shown.flatMap((one) => (removed.has(one) ? one.images.slice(removable(one)) : one.images)),
		...requested,
	];
	if (fitTogether(left()) || !fitTogether([...staying, ...requested])) return [];
	// The removal frees half of the room, because otherwise each new image would remove an old image.
	const room = halfOfRoom(left());
	for (const one of shown) {
		if (fitTogether(left(), room)) break;
		if (removable(one) > 0) removed.add(one);
	}
	return [...removed];
}

/** Reads the runs with messages that contain images in `all`. Omits the run that the current run repeats. */
async function readPrompts(
	{ history, row, session, journal: { store } }: Run,
	all: readonly Shown[],
): Promise<RunRow[]> {
	const repeatedRun =
		row.retryOf === undefined ? undefined : history.findLast(({ messages }) => messages[0]?.role === "user");
	const ordinals = all.flatMap((one) =>
		"ordinal" in one && one.ordinal !== repeatedRun?.ordinal ? [one.ordinal] : [],
	);
	if (ordinals.length === 0) return [];
	const rows = await store.read((db) =>
		db
			.selectFrom("runs")
			.selectAll()
			.where("session_id", "=", session.id)
			.where("ordinal", "in", ordinals)
			.execute(),
	);
	return rows.map(toRunRow);
}

/**
 * A group of images in a conversation: the images of one tool result, or the images of the message that started an
 * earlier run.
 */
export type Shown =
	| { readonly callId: string; readonly images: readonly ImageBlock[] }
	| { readonly ordinal: number; readonly images: readonly ImageBlock[] };

/** Images of a conversation without the images of the run's own message. Each list starts with the oldest images. */
export interface SessionImages {
	readonly shown: readonly Shown[];
	/** Images that the model will never see again, because a summary replaced them or they were cleared. */
	readonly hidden: readonly Shown[];
}

async function sessionImages(
	{ row, history, steps, session }: Run,
	contexts: Contexts,
): Promise<SessionImages> {
	const ofRun = messagesOf(row, steps);
	const own = { ordinal: row.ordinal, messages: [...ofRun, ...messagesMissingFrom(ofRun, steps)] };
	const { reductions } = await contexts.of(session);
	const view = viewOf([...history, own], reductions);
	const messages = new Set(view);
	const calls = new Set(view.flatMap(shownResultsIn).map(({ callId }) => callId));
	const images = [...history, own].flatMap((run) =>
		run.messages.flatMap((message) => [
			...shownResultsIn(message).map((one): Placed => ({ one, isShown: calls.has(one.callId) })),
			...(run === own ? [] : sentIn(message)).map(
				(one): Placed => ({ one: { ...one, ordinal: run.ordinal }, isShown: messages.has(message) }),
			),
		]),
	);
	return {
		shown: images.flatMap(({ one, isShown }) => (isShown ? [one] : [])),
		hidden: images.flatMap(({ one, isShown }) => (isShown ? [] : [one])),
	};
}

interface Placed {
	readonly one: Shown;
	readonly isShown: boolean;
}

/**
 * Returns the ids of calls with result images that no model has answered. If `model` is given, only replies of that
 * model are answers, because models accept different images.
 */
export function unseenIn({ history, steps }: Run, model?: string): Set<string> {
	const isBy = (by: string | undefined): boolean => model === undefined || by === model;
	const replied = steps.findLastIndex((step) => step.kind === "reply" && isBy(step.asked));
	const own = steps.slice(replied + 1).flatMap(shownResultsOf);
	const before = replied >= 0 ? [] : history.flatMap(({ messages }) => messages);
	const last = before.findLastIndex((message) => message.role === "assistant" && isBy(message.model));
	return new Set([...before.slice(last + 1).flatMap(shownResultsIn), ...own].map(({ callId }) => callId));
}

interface ShownResult {
	readonly callId: string;
	readonly images: readonly ImageBlock[];
}

/**
 * Returns a message with results that have images but are not in `ofRun`. `ofRun` lacks such a result while its reply
 * has unfinished calls.
 */
function messagesMissingFrom(ofRun: readonly Message[], steps: readonly Step[]): Message[] {
	const known = new Set(ofRun.flatMap(shownResultsIn).map(({ callId }) => callId));
	const content = steps.flatMap((step): ResultBlock[] => {
		if (step.kind !== "result" || !step.pictures || known.has(step.callId)) return [];
		const { kind: type, ...result } = step;
		return [{ type, ...result }];
	});
	return content.length > 0 ? [{ role: "tool", content }] : [];
}

function shownResultsIn(message: Message): ShownResult[] {
	if (message.role !== "tool") return [];
	return message.content.flatMap(({ callId, pictures: images = [] }) =>
		images.length > 0 ? [{ callId, images }] : [],
	);
}

function shownResultsOf(step: Step): ShownResult[] {
	if (step.kind !== "result") return [];
	const { callId, pictures: images = [] } = step;
	return images.length > 0 ? [{ callId, images }] : [];
}

function sentIn(message: Message): { readonly images: readonly ImageBlock[] }[] {
	const images = message.role === "user" ? message.content.filter((block) => block.type === "image") : [];
	return images.length > 0 ? [{ images }] : [];
}

export type Change = (tx: Tx) => Promise<unknown>;

/**
 * Returns changes that remove the result images of the calls in `callIds` from the stored steps. The text of each
 * changed result states `reason`, if given. The steps are read before the transaction that changes them. A race is
 * impossible, because the runs of a session are sequential.
 */
export async function withoutImagesOf(
	run: Run,
	callIds: ReadonlySet<string>,
	reason: string | undefined,
): Promise<Change[]> {
	if (callIds.size === 0) return [];
	const own = run.steps.map((step, n) => ({ runId: run.id, n, step }));
	return [...(await earlierSteps(run, callIds)), ...own].flatMap(({ runId, n, step }) => {
		if (step.kind !== "result" || !step.pictures || !callIds.has(step.callId)) return [];
		const { pictures: _, ...rest } = step;
		// The list is empty instead of absent, because a cleared result must still mention its images.
		const changed: Step =
			reason === undefined
				? { ...step, pictures: [] }
				: { ...rest, text: imageTexts.cleared(step.text, reason) };
		const data = JSON.stringify(changed);
		return (tx: Tx) =>
			tx
				.updateTable("steps")
				.set({ data, hash: stepHash({ runId, n, data }) })
				.where("run_id", "=", runId)
				.where("n", "=", n)
				.execute();
	});
}

/** Returns the change that removes the images of a message, except attached images. */
function withoutSent({ id, images, attachments = [] }: RunRow, reason: string): Change {
	return withAttachments(id, [...describedOnly(images, reason), ...attachments]);
}

/**
 * Returns the change that removes all images of a message, including attached images. The stored files are kept.
 */
function withoutShown({ id, images, attachments = [] }: RunRow, reason: string): Change {
	const files = attachments.map(({ shown, ...file }) => (shown ? { ...file, problem: reason } : file));
	return withAttachments(id, [...describedOnly(images, reason), ...files]);
}

function withAttachments(id: string, attachments: readonly Attachment[]): Change {
	const described = JSON.stringify(attachments);
	return (tx) =>
		tx.updateTable("runs").set({ images: null, attachments: described }).where("id", "=", id).execute();
}

/** Replaces the conversation in memory with the stored conversation. */
export async function reloadImages(run: Run, files: Files): Promise<void> {
	const { session, row, journal } = run;
	session.history = undefined;
	run.history = historyFor(row, await readHistory({ journal, files }, session.id, row.ordinal));
	run.steps.splice(0, run.steps.length, ...(await readSteps(journal.store, run.id)));
}

async function earlierSteps(
	{ history, session, journal: { store } }: Run,
	callIds: ReadonlySet<string>,
): Promise<{ readonly runId: string; readonly n: number; readonly step: Step }[]> {
	const ordinals = history
		.filter(({ messages }) =>
			messages.some(
				({ role, content }) =>
					role === "tool" && content.some((block) => block.type === "result" && callIds.has(block.callId)),
			),
		)
		.map(({ ordinal }) => ordinal);
	if (ordinals.length === 0) return [];
	const rows = await store.read((db) =>
		db
			.selectFrom("steps")
			.innerJoin("runs", "runs.id", "steps.run_id")
			.select(["run_id", "n", "data"])
			.where("session_id", "=", session.id)
			.where("ordinal", "in", ordinals)
			.execute(),
	);
	return rows.map(({ run_id, n, data }) => ({ runId: run_id, n, step: fromRow<Step>(data) }));
}

/** Maximum bytes of images in memory: see `LoadedImages`. */
const maxBytes = 64 * 1024 * 1024;

interface Holder {
	readonly id: string;
	history: readonly RunTranscript[] | undefined;
	readonly live: { readonly size: number };
}

/**
 * Limits the memory for images of all sessions. Above the limit, idle sessions drop their history, starting with the
 * session that has been idle longest. The next run of a session reads the history from the store again.
 */
export class LoadedImages<S extends Holder> {
	/** Drops all other references to the messages of the session. */
	readonly #onForget: (session: S) => void;
	/** Key: session id. The most recently active session is last. */
	readonly #holders = new Map<string, { readonly session: WeakRef<S>; readonly bytes: number }>();

	constructor(onForget: (session: S) => void) {
		this.#onForget = onForget;
	}

	/** Records the images of a session. Called when a run of the session has ended or is parked. */
	add(session: S): void {
		this.#holders.delete(session.id);
		const bytes = imageBytes((session.history ?? []).flatMap(({ messages }) => messages));
		if (bytes === 0) return;
		this.#holders.set(session.id, { session: new WeakRef(session), bytes });
		let sum = 0;
		for (const [id, holder] of [...this.#holders].reverse()) {
			const live = holder.session.deref();
			if (live) sum += holder.bytes;
			// An active run of the session refers to the images in the history, so dropping the history would free nothing.
			// The session is added again when the run ends.
			if (live && (live.live.size > 0 || sum <= maxBytes)) continue;
			this.#holders.delete(id);
			if (live) this.#forget(live);
		}
	}

	#forget(session: S): void {
		session.history = undefined;
		this.#onForget(session);
	}
}
