import { defined, type Logger } from "@parley/base";
import {
	DeliveryError,
	fileTooLarge,
	fileUnread,
	type OutboxRow,
	type Posting,
	type Receipt,
} from "@parley/connector";
import { LRUCache } from "lru-cache";
import * as z from "zod";
import { deliveryTexts } from "../texts/delivery.ts";
import { postTexts } from "../texts/post.ts";
import type { DiscordRequest } from "../vocabulary/discord-port.ts";
import { cutTo, errorCodes, limits, messageFlags } from "../vocabulary/limits.ts";
import type { ApiResponse, Caller } from "./caller.ts";
import { checkDraft, type Draft, type DraftFile } from "./check.ts";
import { ClosedThreads, type ThreadRequest } from "./closed-threads.ts";
import { draftOf, fallbackDrafts } from "./drafts.ts";
import { type CardIdentity, identityOf } from "./identity.ts";
import type { PostChannels } from "./post-channels.ts";
import { Refused } from "./refused.ts";

export type Post = Extract<Posting, { type: "post" }>;

/**
 * Value of `allowed_mentions` that disables all mentions. Edits also need this value:
 * resources/message#allowed-mentions-object
 */
export const noMentions = { parse: [], replied_user: false } as const;

const Posted = z.object({
	id: z.string(),
	attachments: z.array(z.object({ id: z.string() })).default([]),
});

/** Maximum number of messages in memory, with the ids of their attachments. */
const maxKnown = 1000;

export interface PostsParts {
	readonly caller: Caller;
	readonly places: PostChannels;
	/** Reads a file from Parley's gateway. Returns undefined if the gateway refuses the file. */
	readonly read: (upload: NonNullable<Post["upload"]>) => Promise<Uint8Array | undefined>;
	readonly log: Logger;
}

export class Posts {
	readonly #parts: PostsParts;
	/** Attachment ids by message, for messages that this process has created or edited. */
	readonly #attachments = new LRUCache<string, readonly string[]>({ max: maxKnown });

	readonly #threads: ClosedThreads;

	constructor(parts: PostsParts) {
		this.#parts = parts;
		this.#threads = new ClosedThreads(parts.caller, parts.log);
	}

	async create(row: OutboxRow, post: Post): Promise<Receipt> {
		const draft = await this.draft(row, post);
		const { replyTo } = post;
		return this.#parts.places.act(row, post.thread, async (channel) => {
			// The message from which a thread was opened has the id of the thread, and is not in the thread.
			const reply = replyTo !== undefined &&
				replyTo !== channel && {
					message_reference: { message_id: replyTo, fail_if_not_exists: false },
				};
			const path = `/channels/${channel}/messages`;
			const response = await this.#sendSimplifying(draft, { plain: post.plain, edits: false }, (draft) => {
				const unique = { nonce: row.nonce, enforce_nonce: true };
				const body = {
					...messageBody(draft, cardIdentity(row, post)),
					...notified(post),
					...unique,
					...attached(draft.files),
					...reply,
				};
				const request = { method: "POST", path, body, ...sent(draft.files) } as const;
				return this.#sendWithOrWithoutReply({ request, route: "create", channel, isLast: !post.live });
			});
			return this.#receipt(response);
		});
	}

	async edit(row: OutboxRow, post: Post, target: string): Promise<Receipt> {
		const draft = await this.draft(row, post);
		return this.#parts.places.act(row, post.thread, async (channel) => {
			const path = `/channels/${channel}/messages/${target}`;
			const response = await this.#sendSimplifying(
				draft,
				{ plain: post.plain, edits: true },
				async (draft) => {
					// Discord removes attachments that an edit does not list.
					const files =
						draft.files.length > 0 ? attached(draft.files) : await this.#attachmentsOf(path, channel, target);
					const shown = messageBody(draft, cardIdentity(row, post));
					const body = { ...shown, ...withoutText(draft), ...files };
					const request = { method: "PATCH", path, body, ...sent(draft.files) } as const;
					return this.#threads.ask({ request, route: "edit", channel, isLast: !post.live });
				},
			);
			return this.#receipt(response);
		});
	}

	/** Deletes a post: resources/message#delete-message */
	async remove(row: OutboxRow, target: string): Promise<Receipt> {
		return this.#parts.places.act(row, undefined, async (channel) => {
			const path = `/channels/${channel}/messages/${target}`;
			try {
				const request = { method: "DELETE", path } as const;
				const { limits: empty } = await this.#threads.ask({
					request,
					route: "delete",
					channel,
					isLast: true,
				});
				return { remote: target, limits: empty };
			} catch (error) {
				if (DeliveryError.from(error).kind !== "gone") throw error;
				return { remote: target };
			}
		});
	}

	/**
	 * Returns the message of a post. Rejects with `rejected` if Discord would not accept the message, for example
	 * because it is empty.
	 */
	async draft(row: OutboxRow, post: Post, read = this.#parts.read): Promise<Draft> {
		const { file, upload, state, controls = [] } = post;
		const files: DraftFile[] = [];
		let body = `${mentionsIn(post)}${post.body}`;
		if (file) files.push(textFile(file));
		if (upload && upload.size > limits.fileBytes) {
			body += `\n-# ${fileTooLarge(upload, "Discord", limits.fileBytes)}`;
		} else if (upload) {
			const bytes = await read(upload);
			const description = cutTo(upload.alt ?? upload.name, limits.attachmentDescription);
			if (bytes) files.push({ name: upload.name, bytes, description });
			else body += `\n-# ${fileUnread(upload)}`;
		}
		const { draft, omitted } = draftOf({ body, controls, files, state });
		if (omitted.length > 0) this.#parts.log.warn("parts of a post are left out", { id: row.id, omitted });
		return passed(draft);
	}

	/**
	 * Sends a draft, and leaves out more of the message as long as Discord refuses its contents or files. Discord
	 * creates no post after a refusal, so the nonce can be used again.
	 */
	async #sendSimplifying(
		fullDraft: Draft,
		{ plain, edits }: { readonly plain: string | undefined; readonly edits: boolean },
		send: (draft: Draft) => Promise<ApiResponse>,
	): Promise<ApiResponse> {
		let refusal: Refused;
		try {
			return await send(fullDraft);
		} catch (error) {
			refusal = contentsRefusal(error, fullDraft);
		}
		const reason = refusal.message;
		const why = refusal.isTooLarge ? "size" : refusal.isAboutContents ? "contents" : "permission";
		for (const draft of fallbackDrafts(fullDraft, { why, plain, edits })) {
			try {
				const response = await send(draft);
				this.#parts.log.warn("Discord refused a post, so parts of it are left out", { reason });
				return response;
			} catch (error) {
				refusal = contentsRefusal(error, draft);
			}
		}
		throw refusal;
	}

	async #sendWithOrWithoutReply(threadRequest: ThreadRequest): Promise<ApiResponse> {
		try {
			return await this.#threads.ask(threadRequest);
		} catch (error) {
			// Discord refuses a reply if the bot may not read the channel's history.
			if (!(error instanceof Refused) || error.fault !== errorCodes.replyWithoutHistory) throw error;
		}
		const { request } = threadRequest;
		const body = { ...Object(request.body), message_reference: undefined };
		return this.#threads.ask({ ...threadRequest, request: { ...request, body } });
	}

	async #attachmentsOf(
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

	#receipt({ body, limits: empty }: ApiResponse): Receipt {
		const posted = Posted.safeParse(body);
		if (!posted.success) throw new DeliveryError(deliveryTexts.noMessageId, { kind: "unknown" });
		const { id, attachments } = posted.data;
		this.#attachments.set(
			id,
			attachments.map((one) => one.id),
		);
		return { remote: id, limits: empty };
	}
}

/** Returns the refusal if Discord could accept the message with less content; otherwise throws `error`. */
function contentsRefusal(error: unknown, { files }: Draft): Refused {
	if (!(error instanceof Refused)) throw error;
	const isPermission = error.fault === errorCodes.missingPermissions && files.length > 0;
	if (!isPermission && !error.isAboutContents) throw error;
	return error;
}

/** Returns the field for the people and roles that the message notifies: resources/message#allowed-mentions-object */
function notified({ mentions = [], mentionedRoles: roles = [] }: Post): Record<string, unknown> {
	if (mentions.length + roles.length === 0) return {};
	const named = { users: [...mentions], ...defined({ roles: roles.length > 0 ? [...roles] : undefined }) };
	return { allowed_mentions: { ...noMentions, ...named } };
}

/** Returns the mentions of a post as text: https://docs.discord.com/developers/reference#message-formatting */
function mentionsIn({ mentions = [], mentionedRoles = [] }: Post): string {
	return [...mentions.map((id) => `<@${id}> `), ...mentionedRoles.map((id) => `<@&${id}> `)].join("");
}

/**
 * Returns the identity of a card. The identity stays the same when the content of the card changes. Returns
 * undefined for other posts, such as answers.
 */
export function cardIdentity({ card, nonce }: OutboxRow, { state, key }: Post): CardIdentity | undefined {
	return state === undefined ? undefined : identityOf(key ?? card ?? nonce);
}

/** Returns the fields that new and edited messages share. */
export function messageBody(
	{ content, components, container }: Draft,
	identity?: CardIdentity,
): Record<string, unknown> {
	if (container) {
		const text = { type: 10, content, ...defined({ id: identity?.text }) };
		const inside = [text, ...components];
		const id = defined({ id: identity?.first });
		return {
			components: [{ type: 17, ...id, accent_color: container.accent, components: inside }],
			allowed_mentions: noMentions,
			flags: messageFlags.componentsV2,
		};
	}
	const [first, ...others] = components;
	const rows = first && identity ? [{ ...first, id: identity.first }, ...others] : components;
	return { content, components: rows, allowed_mentions: noMentions, flags: messageFlags.suppressEmbeds };
}

/**
 * Returns the fields that remove the content of a message, if the message was posted without a container and the
 * draft has one: resources/message#edit-message
 */
function withoutText({ container }: Draft): Record<string, unknown> {
	return container ? { content: null, embeds: null } : {};
}

export function textFile({ name, content }: { readonly name: string; readonly content: string }): DraftFile {
	return {
		name,
		bytes: new TextEncoder().encode(content),
		description: postTexts.completeTextFile({ name }),
	};
}

/** Returns the draft if Discord would accept it; otherwise throws `rejected`. */
export function passed(draft: Draft): Draft {
	const problems = Object.values(checkDraft(draft));
	if (problems.length === 0) return draft;
	throw new DeliveryError(deliveryTexts.invalid({ problems }), { kind: "rejected" });
}

/** Returns the field of the attachments: reference#uploading-files */
export function attached(files: readonly DraftFile[]): Record<string, unknown> {
	if (files.length === 0) return {};
	return {
		attachments: files.map(({ name, description }, id) => ({ id: String(id), filename: name, description })),
	};
}

export function sent(files: readonly DraftFile[]): { readonly files?: NonNullable<DiscordRequest["files"]> } {
	return files.length === 0 ? {} : { files: files.map(({ name, bytes }) => ({ name, bytes })) };
}
