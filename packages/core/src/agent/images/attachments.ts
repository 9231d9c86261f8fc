import { defined, ParleyError } from "@parley/base";
import type { Files } from "../../files/files.ts";
import {
	describedOnly,
	fitTogether,
	isShowableImage,
	loadImage,
	noRoom,
	withImages,
} from "../../files/images.ts";
import { copyToWorkspace } from "../../files/workspace-copy.ts";
import type { ImageBlock } from "../../vocabulary/message.ts";
import { ModelError } from "../../vocabulary/model-error.ts";
import { type Attachment, isUndecided } from "../../vocabulary/stored-file.ts";
import type { ToolResult } from "../../vocabulary/tool.ts";
import type { Contexts } from "../context/contexts.ts";
import { type Attempt, recordAttempt } from "../replies/stream-reply.ts";
import type { SpendingPorts } from "../run/limits.ts";
import type { Run } from "../run/run.ts";
import { refusalWhenFull, type WorkspacePorts } from "../run/workspace.ts";
import {
	type Change,
	changesToFit,
	type ImagePorts,
	makeRoom,
	reloadImages,
	unseenIn,
	withoutImagesOf,
} from "./room-for-images.ts";
import { imageTexts } from "./texts.ts";

export interface AttachmentPorts extends ImagePorts, WorkspacePorts {}

/**
 * Delivers the attachments of the run's message before the first model call. Images that the model can read become part
 * of the conversation if they fit. Other attached images and all other files are copied into the working directory. If
 * a copy fails, the attachment contains the reason. Images in the message itself are replaced with descriptions if they
 * do not fit. The outcome is recorded once, even after a crash.
 */
export async function placeAttachments(run: Run, ports: AttachmentPorts): Promise<void> {
	const { attachments = [], images, retryOf } = run.row;
	// A run that repeats a reply uses the attachments of the repeated run.
	if (attachments.length + images.length === 0 || retryOf !== undefined) return;
	if (images.length > 0 || attachments.some(isUndecided)) await placeAll(run, attachments, ports);
	run.row = await withImages(ports.files, run.row);
}

/**
 * Replaces the images of the run's message with descriptions in later requests, unless a model has already
 * replied.
 */
async function withdrawOwnImages(run: Run): Promise<void> {
	const { attachments = [], images } = run.row;
	const answered = run.steps.some(({ kind }) => kind === "reply");
	if (answered || (images.length === 0 && !attachments.some(({ shown }) => shown))) return;
	const problem = imageTexts.refusedByProvider;
	const files = attachments.map(({ shown, ...file }) => (shown ? { ...file, problem } : file));
	await recordAttachments(run, { attachments: [...describedOnly(images, problem), ...files], images: [] });
	run.row = { ...run.row, loadedImages: [] };
}

async function placeAll(run: Run, attachments: readonly Attachment[], ports: AttachmentPorts): Promise<void> {
	const { images } = run.row;
	const seesImages = run.settings.info?.images ?? true;
	const loaded = await loadVisibleImages(ports.files, attachments, seesImages);
	const coming = [...images, ...loaded.values()];
	const inside = await makeRoom(
		run,
		coming.map((image) => [image]),
		ports,
	);
	const enters = (image: ImageBlock): boolean => {
		const fits = fitTogether([...inside, image]);
		if (fits) inside.push(image);
		return fits;
	};
	const sent = Map.groupBy(images, enters);
	const placed: Attachment[] = [];
	for (const attachment of attachments) {
		run.control.signal.throwIfAborted();
		const image = loaded.get(attachment);
		const entered = image !== undefined && enters(image);
		if (!isUndecided(attachment)) placed.push(attachment);
		else if (entered) placed.push({ ...attachment, shown: true });
		else placed.push(await copy(run, attachment, ports));
	}
	const left = sent.get(false) ?? [];
	if (left.length > 0) {
		const described = describedOnly(left, imageTexts.sendSmaller(noRoom));
		await recordAttachments(run, { attachments: [...described, ...placed], images: sent.get(true) ?? [] });
	} else if (attachments.some(isUndecided)) await recordAttachments(run, { attachments: placed });
}

/**
 * Loads the attached images that the model sees, including images that are already part of the conversation
 * (`shown`).
 */
async function loadVisibleImages(
	files: Files,
	attachments: readonly Attachment[],
	seesImages: boolean,
): Promise<Map<Attachment, ImageBlock>> {
	const loaded = new Map<Attachment, ImageBlock>();
	let before = 0;
	for (const attachment of attachments) {
		const isVisible = isUndecided(attachment)
			? seesImages && isShowableImage(attachment, before)
			: attachment.shown;
		const image = isVisible && (await loadImage(files, attachment));
		if (!image) continue;
		loaded.set(attachment, image);
		before += attachment.bytes;
	}
	return loaded;
}

async function copy(run: Run, attachment: Attachment, ports: AttachmentPorts): Promise<Attachment> {
	const { session, log } = run;
	try {
		const problem = await refusalWhenFull(run, ports);
		if (problem !== undefined) return { ...attachment, problem };
		await using content = await ports.files.read(attachment.id);
		return { ...attachment, path: await copyToWorkspace(session.rootDir, attachment, content) };
	} catch (reason) {
		// A full disk or a read-only directory must not stop the conversation.
		log.warn(imageTexts.notCopied, {
			file: attachment.id,
			error: reason,
		});
		return { ...attachment, problem: ParleyError.from(reason).message };
	}
}

async function recordAttachments(
	run: Run,
	{
		attachments,
		images,
	}: { readonly attachments: readonly Attachment[]; readonly images?: readonly ImageBlock[] },
): Promise<void> {
	const sent = images && { images: images.length > 0 ? JSON.stringify(images) : null };
	await run.commit(async ({ tx }) => {
		await tx
			.updateTable("runs")
			.set({ attachments: JSON.stringify(attachments), ...sent })
			.where("id", "=", run.id)
			.execute();
	});
	run.row = { ...run.row, attachments, ...defined({ images }) };
}

/**
 * Returns the results of calls that ran together, without the images that do not fit. If the images of a result do not
 * fit, all of them are removed and the result becomes a failure.
 */
export async function withinRoom<T extends { readonly result: ToolResult }>(
	run: Run,
	results: readonly T[],
	ports: ImagePorts,
): Promise<readonly T[]> {
	const requested = results.flatMap(({ result }) => (result.images ? [result.images] : []));
	if (requested.length === 0) return results;
	const current = imagesOfMessage(run);
	const inside = [...(await makeRoom(run, [current, ...requested], ports)), ...current];
	return results.map((entry) => {
		const { images: more = [] } = entry.result;
		if (more.length === 0) return entry;
		if (!fitTogether([...inside, ...more])) return { ...entry, result: withoutRoom(entry.result) };
		inside.push(...more);
		return entry;
	});
}

/**
 * Removes images from the conversation after a provider rejected the content of a request, so that later requests can
 * succeed. If the images together exceeded the room, removes the oldest images. Otherwise removes the images of results
 * that the model had not answered. Returns true if images were removed in one of these ways: the run continues. If not,
 * removes the images of the run's own message and returns false: the run ends. Returns false without a change after any
 * other reply.
 */
export async function withdrawRefused(
	run: Run,
	answer: Attempt,
	ports: ImagePorts & SpendingPorts,
): Promise<boolean> {
	const { failure } = answer.reply;
	if (!(failure instanceof ModelError) || !failure.refusesContent) return false;
	const { changes, without } = await withdrawing(run, answer, ports.contexts);
	if (changes.length === 0) {
		await withdrawOwnImages(run);
		return false;
	}
	const reason = imageTexts.repeatedWithout(failure.message, without);
	const facts = { runId: run.id, reason, inMs: 0, attempt: 1, model: answer.model };
	await run.commit(async (writing) => {
		for (const change of changes) await change(writing.tx);
		await recordAttempt(run, answer, writing, ports);
		await writing.record({ type: "run.retrying", ...facts });
	});
	await reloadImages(run, ports.files);
	return true;
}

async function withdrawing(
	run: Run,
	{ model }: Attempt,
	contexts: Contexts,
): Promise<{ readonly changes: readonly Change[]; readonly without: string }> {
	const tooMany = await changesToFit(run, imagesOfMessage(run), contexts);
	if (tooMany.length > 0) return { changes: tooMany, without: imageTexts.oldest };
	const unseen = unseenIn(run, model);
	const changes = await withoutImagesOf(run, unseen, imageTexts.removed);
	return { changes, without: imageTexts.ofTools };
}

/**
 * Returns the images of the run's message. Returns none if the run repeats a reply, because the images belong to
 * the repeated run.
 */
function imagesOfMessage({ row: { images, loadedImages = [], retryOf } }: Run): readonly ImageBlock[] {
	return retryOf === undefined ? [...images, ...loadedImages] : [];
}

function withoutRoom({ text }: ToolResult): ToolResult {
	return { text: imageTexts.notShown(text, noRoom), failed: true };
}
