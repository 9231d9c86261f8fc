import { type Clock, defined } from "@parley/base";
import type { Attachment, Malformed } from "@parley/connector";
import * as z from "zod";
import { readMessageId } from "../vocabulary/message-id.ts";
import type { SlackApi } from "../vocabulary/slack-port.ts";
import { readSlack } from "./read-slack.ts";
import { Remembered } from "./remembered.ts";
import { ts, WireFile } from "./wire.ts";

export interface FilesParts {
	readonly port: SlackApi;
	readonly malformed: Malformed;
	readonly clock: Clock;
}

/** States of a file that was deleted, or is beyond the limit of the workspace's plan. */
const statesWithoutContent: ReadonlySet<string> = new Set(["tombstone", "hidden_by_limit"]);

const MessageExtras = z.object({
	files: z.array(z.unknown()).nullish(),
	attachments: z.array(z.unknown()).nullish().catch(undefined),
});
type MessageExtras = z.output<typeof MessageExtras>;

/** Response of `conversations.replies`, which also returns a message without replies. */
const RepliesPage = z.object({ messages: z.array(MessageExtras.extend({ ts })) });

export class Files {
	readonly #malformed: Malformed;
	readonly #known: Remembered<WireFile | undefined>;
	/** Files and attachments by message id. */
	readonly #attached: Remembered<MessageExtras>;

	constructor({ port, malformed, clock }: FilesParts) {
		this.#malformed = malformed;
		this.#known = new Remembered({
			what: "the file",
			clock,
			retentionMs: 600_000,
			maximum: 200,
			ask: async (file) => {
				const answer = await readSlack(port, { method: "files.info", args: { file } });
				return "body" in answer ? WireFile.safeParse(answer.body["file"]).data : undefined;
			},
		});
		this.#attached = new Remembered<MessageExtras>({
			what: "the attachments of message",
			clock,
			retentionMs: 60_000,
			maximum: 200,
			ask: async (id) => {
				const { channel, ts } = readMessageId(id) ?? { channel: id, ts: "" };
				const args = { channel, ts, limit: 1 };
				const answer = await readSlack(port, { method: "conversations.replies", args });
				const shown = "body" in answer ? RepliesPage.safeParse(answer.body).data?.messages : undefined;
				const { files, attachments } = shown?.find((message) => message.ts === ts) ?? {};
				return { files, attachments };
			},
		});
	}

	/**
	 * Reads the files and attachments of a message from Slack, because its event may lack them. Undefined if there
	 * are none, or if Slack refuses. Rejects with `unavailable` if Slack does not respond in time. With `isLast`,
	 * returns undefined instead.
	 */
	async attachedTo(message: string, isLast: boolean): Promise<MessageExtras | undefined> {
		const attached = this.#attached.find(message);
		const beside = await (isLast ? attached.catch((): MessageExtras => ({})) : attached);
		return beside.files?.length || beside.attachments?.length ? beside : undefined;
	}

	/**
	 * Converts files. Leaves out invalid data and files without content. Rejects with `unavailable` if Slack does not
	 * report the details of a file in time. With `isLast`, uses the data of the event instead.
	 */
	async read(files: readonly unknown[], isLast = false): Promise<Attachment[]> {
		const read = await Promise.all(files.map((file) => this.#read(file, isLast)));
		return read.filter((attachment) => attachment !== undefined);
	}

	async #read(data: unknown, isLast: boolean): Promise<Attachment | undefined> {
		const file = this.#malformed.read("file", WireFile, data);
		if (file === undefined || statesWithoutContent.has(file.mode ?? "")) return undefined;
		// Files of other organisations need a request: https://docs.slack.dev/apis/slack-connect/using-slack-connect-channels#files
		if (file.file_access !== "check_file_info") return attachmentOf(file);
		const lookup = this.#known.find(file.id);
		const details = await (isLast ? lookup.catch(() => undefined) : lookup);
		return attachmentOf(details ?? file);
	}
}

function attachmentOf({ id, name, title, size, mimetype, ...file }: WireFile): Attachment {
	return {
		id,
		name: name || title || id,
		size: size ?? 0,
		// The kit reports a file without a URL in the chat.
		url: file.url_private_download ?? file.url_private ?? "",
		...defined({ type: mimetype || undefined }),
	};
}
