import type { Logger } from "@parley/base";
import { DeliveryError, type OutboxRow, type Posting, type Receipt } from "@parley/connector";
import * as z from "zod";
import type { DiscordRequest } from "../discord-port.ts";
import { cutTo, errorCodes, limits, messageFlags } from "../limits.ts";
import type { Caller, Carried } from "./caller.ts";
import { checkDraft, type Draft, type DraftFile } from "./check.ts";
import { draftOf, withoutFiles } from "./drafts.ts";
import type { Places } from "./places.ts";
import { Refused } from "./refused.ts";

export type Post = Extract<Posting, { type: "post" }>;

/** Nobody is pinged, whatever a text says; an edit without it pings: resources/message#allowed-mentions-object. */
export const noMentions = { parse: [], replied_user: false } as const;

const Posted = z.object({
	id: z.string(),
	attachments: z.array(z.object({ id: z.string() })).default([]),
});

/** Of so many messages is known what is attached to them; of others Discord is asked. */
const mostKnown = 1000;

export interface PostsParts {
	readonly caller: Caller;
	readonly places: Places;
	/** Of files that the gateway keeps; undefined where it has such a file no more. */
	readonly read: (upload: NonNullable<Post["upload"]>) => Promise<Uint8Array | undefined>;
	readonly log: Logger;
}

/** Posts and edits in channels and threads. */
export class Posts {
	readonly #parts: PostsParts;
	/** The attachments of messages that this process has made or changed. */
	readonly #attachments = new Map<string, readonly string[]>();

	constructor(parts: PostsParts) {
		this.#parts = parts;
	}

	async create(row: OutboxRow, post: Post): Promise<Receipt> {
		const draft = await this.draft(row, post);
		const { replyTo } = post;
		const body = {
			...{ ...messageBody(draft), nonce: row.nonce, enforce_nonce: true, ...attached(draft.files) },
			...(replyTo !== undefined && { message_reference: { message_id: replyTo, fail_if_not_exists: false } }),
		};
		return this.#parts.places.act(row, post.thread, async (channel) => {
			const path = `/channels/${channel}/messages`;
			const request = { method: "POST", path, body, ...sent(draft.files) } as const;
			return this.#receipt(await this.#evenWithoutFiles(request, draft, channel));
		});
	}

	async edit(row: OutboxRow, post: Post, target: string): Promise<Receipt> {
		const draft = await this.draft(row, post);
		return this.#parts.places.act(row, post.thread, async (channel) => {
			const path = `/channels/${channel}/messages/${target}`;
			// What is not listed is taken off the message.
			const files = draft.files.length > 0 ? attached(draft.files) : await this.#kept(path, channel, target);
			const body = { ...messageBody(draft), ...files };
			const request = { method: "PATCH", path, body, ...sent(draft.files) } as const;
			return this.#receipt(await this.#inOpenThread(request, channel));
		});
	}

	/** The message of a post as Discord takes it. Throws `rejected` where there is nothing in it. */
	async draft(row: OutboxRow, post: Post, read = this.#parts.read): Promise<Draft> {
		const { file, upload, controls = [] } = post;
		const files: DraftFile[] = [];
		let { body } = post;
		if (file) files.push(textFile(file));
		if (upload && upload.size > limits.fileBytes) {
			body += `\n-# ${upload.name} is too large for Discord, which takes 10 MiB.`;
		} else if (upload) {
			const bytes = await read(upload);
			const description = cutTo(upload.alt ?? upload.name, limits.attachmentDescription);
			if (bytes) files.push({ name: upload.name, bytes, description });
			else body += `\n-# ${upload.name} could not be read.`;
		}
		const { draft, spared } = draftOf({ body, controls, files });
		if (spared.length > 0) this.#parts.log.warn("a post is shown with less", { id: row.id, spared });
		return passed(draft);
	}

	/**
	 * Where nothing may be attached, the words come alone. A refusal means that nothing was posted, so that the nonce is
	 * still free. Where we may not write at all, this is refused as well.
	 */
	async #evenWithoutFiles(
		request: DiscordRequest & { readonly body: object },
		draft: Draft,
		channel: string,
	): Promise<Carried> {
		try {
			return await this.#evenWithoutReply(request, channel);
		} catch (error) {
			const isMissing = error instanceof Refused && error.fault === errorCodes.missingPermissions;
			if (!isMissing || draft.files.length === 0) throw error;
		}
		const { files: _files, ...bare } = request;
		const body = { ...request.body, ...messageBody(withoutFiles(draft)), attachments: undefined };
		const carried = await this.#evenWithoutReply({ ...bare, body }, channel);
		this.#parts.log.warn('a post came without its files: give the bot "Attach Files" there', { channel });
		return carried;
	}

	/** Where we may not read what was written before, we may not reply to it either, and still say it. */
	async #evenWithoutReply(
		request: DiscordRequest & { readonly body: object },
		channel: string,
	): Promise<Carried> {
		const { caller } = this.#parts;
		try {
			return await caller.ask(request, "create", channel);
		} catch (error) {
			if (!(error instanceof Refused) || error.fault !== errorCodes.replyWithoutHistory) throw error;
		}
		const body = { ...request.body, message_reference: undefined };
		return caller.ask({ ...request, body }, "create", channel);
	}

	/** Nothing can be changed in a thread that is archived; what is written there opens it again, and it stays open. */
	async #inOpenThread(request: DiscordRequest, channel: string): Promise<Carried> {
		const { caller } = this.#parts;
		try {
			return await caller.ask(request, "edit", channel);
		} catch (error) {
			if (!(error instanceof Refused) || error.fault !== errorCodes.archivedThread) throw error;
		}
		const path = `/channels/${channel}`;
		await caller.ask({ method: "PATCH", path, body: { archived: false } }, "thread", channel);
		return caller.ask(request, "edit", channel);
	}

	async #kept(
		path: string,
		channel: string,
		message: string,
	): Promise<{ readonly attachments: readonly { readonly id: string }[] }> {
		const known = this.#attachments.get(message);
		if (known !== undefined) return { attachments: known.map((id) => ({ id })) };
		const { body } = await this.#parts.caller.ask({ method: "GET", path }, "read", channel);
		const read = Posted.safeParse(body);
		return { attachments: read.success ? read.data.attachments.map(({ id }) => ({ id })) : [] };
	}

	#receipt({ body, limits: empty }: Carried): Receipt {
		const posted = Posted.safeParse(body);
		if (!posted.success) throw new DeliveryError("Discord's answer names no message", { kind: "unknown" });
		const { id, attachments } = posted.data;
		this.#attachments.delete(id);
		this.#attachments.set(
			id,
			attachments.map((one) => one.id),
		);
		for (const oldest of this.#attachments.keys()) {
			if (this.#attachments.size <= mostKnown) break;
			this.#attachments.delete(oldest);
		}
		return { remote: id, limits: empty };
	}
}

/** What creating and changing have in common. */
export function messageBody({ content, components }: Draft): Record<string, unknown> {
	return { content, components, allowed_mentions: noMentions, flags: messageFlags.suppressEmbeds };
}

export function textFile({ name, content }: { readonly name: string; readonly content: string }): DraftFile {
	return { name, bytes: new TextEncoder().encode(content), description: `The whole text: ${name}` };
}

/** Nothing leaves that Discord would not take. */
export function passed(draft: Draft): Draft {
	const problems = Object.values(checkDraft(draft));
	if (problems.length === 0) return draft;
	throw new DeliveryError(`Discord does not take it: ${problems.join(", ")}`, { kind: "rejected" });
}

/** reference#uploading-files */
export function attached(files: readonly DraftFile[]): Record<string, unknown> {
	if (files.length === 0) return {};
	return {
		attachments: files.map(({ name, description }, id) => ({ id: String(id), filename: name, description })),
	};
}

export function sent(files: readonly DraftFile[]): Pick<DiscordRequest, "files"> {
	return files.length === 0 ? {} : { files: files.map(({ name, bytes }) => ({ name, bytes })) };
}
