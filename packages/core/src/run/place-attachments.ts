import { ParleyError } from "@parley/base";
import { type Attachment, isOpen } from "../files/attachment.ts";
import { bytesOf, isPicture, withPictures } from "../files/pictures.ts";
import { copyToWorkspace } from "../files/workspace-copy.ts";
import type { ImageBlock } from "../message.ts";
import { ModelError } from "../model-error.ts";
import { refusalWhenFull } from "./place-rules.ts";
import { makeRoom } from "./result-pictures.ts";
import type { Run } from "./run.ts";

/**
 * Hands what came with the message over, before the model is called for the first time: pictures that the model takes
 * are shown to it, all else is copied into the working directory. What was done is recorded and done once, also where
 * a stop of the gateway comes between.
 */
export async function placeAttachments(run: Run): Promise<void> {
	const { attachments = [], retryOf } = run.row;
	// What a run is asked again stands with the one that it makes again.
	if (attachments.length === 0 || retryOf !== undefined) return;
	if (attachments.some(isOpen)) await record(run, await placeAll(run, attachments));
	run.row = await withPictures(run.session.deps.files, run.row);
}

/**
 * A request that showed pictures was refused: with them in the conversation every later one would be, too. From now on
 * the model is told of them alone.
 */
export async function withdrawPictures(run: Run, failure: ParleyError | undefined): Promise<void> {
	if (!(failure instanceof ModelError) || !failure.refusesContent) return;
	const { attachments = [], images } = run.row;
	const answered = run.steps.some(({ kind }) => kind === "reply");
	if (answered || (images.length === 0 && !attachments.some(({ shown }) => shown))) return;
	const problem = "the request that showed it was refused";
	const sent = images.map((image) => ({ id: "", name: "a picture", ...factsOf(image), problem }));
	const files = attachments.map(({ shown, ...file }) => (shown ? { ...file, problem } : file));
	await record(run, [...sent, ...files], { images: null });
	run.row = { ...run.row, images: [], pictures: [] };
}

function factsOf(image: ImageBlock): Pick<Attachment, "mediaType" | "bytes"> {
	return { mediaType: image.mediaType, bytes: bytesOf(image) };
}

async function placeAll(run: Run, attachments: readonly Attachment[]): Promise<Attachment[]> {
	const seesPictures = run.settings.info?.images ?? true;
	const wanted = seesPictures ? attachments.filter((attachment) => isPicture(attachment, 0)) : [];
	let before = await makeRoom(
		run,
		wanted.reduce((sum, { bytes }) => sum + bytes, 0),
	);
	const placed: Attachment[] = [];
	for (const attachment of attachments) {
		run.signal.throwIfAborted();
		const shown = seesPictures && isPicture(attachment, before);
		if (shown) before += attachment.bytes;
		placed.push(shown ? { ...attachment, shown } : await copy(run, attachment));
	}
	return placed;
}

async function copy(run: Run, attachment: Attachment): Promise<Attachment> {
	const { session, log } = run;
	try {
		const problem = await refusalWhenFull(run);
		if (problem !== undefined) return { ...attachment, problem };
		await using content = await session.deps.files.read(attachment.id);
		return { ...attachment, path: await copyToWorkspace(session.rootDir, attachment, content) };
	} catch (reason) {
		// Neither the disk nor a directory without leave to write must keep people from talking.
		log.warn("an attachment could not be put into the working directory", {
			...{ file: attachment.id, error: reason },
		});
		return { ...attachment, problem: ParleyError.from(reason).message };
	}
}

async function record(
	run: Run,
	attachments: readonly Attachment[],
	changes: { readonly images?: null } = {},
): Promise<void> {
	await run.commit(async (tx) => {
		await tx
			.updateTable("runs")
			.set({ attachments: JSON.stringify(attachments), ...changes })
			.where("id", "=", run.id)
			.execute();
	});
	run.row = { ...run.row, attachments };
}
