import { type Clock, defined } from "@parley/base";
import type { Attachment, Malformed } from "@parley/connector";
import * as z from "zod";
import { readMessageId } from "../vocabulary/message-id.ts";
import type { SlackApi } from "../vocabulary/slack-port.ts";
import { askSlack } from "./ask-slack.ts";
import { Remembered } from "./remembered.ts";
import { ts, WireFile } from "./wire.ts";

export interface FilesParts {
	readonly port: SlackApi;
	readonly malformed: Malformed;
	readonly clock: Clock;
}

/** Files that were there once, or are beyond what the workspace pays for: there is nothing to read. */
const gone: ReadonlySet<string> = new Set(["tombstone", "hidden_by_limit"]);

/** What stands beside the text of a message, as Slack shows it. */
const MessageExtras = z.object({
	files: z.array(z.unknown()).nullish(),
	attachments: z.array(z.unknown()).nullish().catch(undefined),
});
type MessageExtras = z.output<typeof MessageExtras>;

/** A message as `conversations.replies` shows it: one that is no answer to another one, as well. */
const RepliesPage = z.object({ messages: z.array(MessageExtras.extend({ ts })) });

/** Reads what messages have attached. */
export class Files {
	readonly #malformed: Malformed;
	readonly #known: Remembered<WireFile | undefined>;
	/** By the id of a message. */
	readonly #attached: Remembered<MessageExtras>;

	constructor({ port, malformed, clock }: FilesParts) {
		this.#malformed = malformed;
		this.#known = new Remembered({
			what: "what a file is",
			clock,
			keptMs: 600_000,
			most: 200,
			ask: async (file) => {
				const answer = await askSlack(port, { method: "files.info", args: { file } });
				return "body" in answer ? WireFile.safeParse(answer.body["file"]).data : undefined;
			},
		});
		this.#attached = new Remembered<MessageExtras>({
			what: "what is attached to a message",
			clock,
			keptMs: 60_000,
			most: 200,
			ask: async (id) => {
				const { channel, ts } = readMessageId(id) ?? { channel: id, ts: "" };
				const args = { channel, ts, limit: 1 };
				const answer = await askSlack(port, { method: "conversations.replies", args });
				const shown = "body" in answer ? RepliesPage.safeParse(answer.body).data?.messages : undefined;
				const { files, attachments } = shown?.find((message) => message.ts === ts) ?? {};
				return { files, attachments };
			},
		});
	}

	/**
	 * What a message has attached of which an event has told without that. Rejects with `unavailable` where Slack does not
	 * say in time, but where it is not asked again (`isLast`): undefined then, as where there is nothing or Slack refuses.
	 */
	async attachedTo(message: string, isLast: boolean): Promise<MessageExtras | undefined> {
		const attached = this.#attached.find(message);
		const beside = await (isLast ? attached.catch((): MessageExtras => ({})) : attached);
		return beside.files?.length || beside.attachments?.length ? beside : undefined;
	}

	/**
	 * Rejects with `unavailable` where Slack would have to say more and does not in time; where it is not asked again
	 * (`isLast`), the file has no address.
	 */
	async read(files: readonly unknown[], isLast = false): Promise<Attachment[]> {
		const read = await Promise.all(files.map((file) => this.#read(file, isLast)));
		return read.filter((attachment) => attachment !== undefined);
	}

	async #read(data: unknown, isLast: boolean): Promise<Attachment | undefined> {
		const file = this.#malformed.read("file", WireFile, data);
		if (file === undefined || gone.has(file.mode ?? "")) return undefined;
		// https://docs.slack.dev/apis/slack-connect/using-slack-connect-channels#files
		if (file.file_access !== "check_file_info") return attachmentOf(file);
		const asked = this.#known.find(file.id);
		const whole = await (isLast ? asked.catch(() => undefined) : asked);
		return attachmentOf(whole ?? file);
	}
}

/** One without an address cannot be read, of which the kit tells people. */
function attachmentOf({ id, name, title, size, mimetype, ...file }: WireFile): Attachment {
	return {
		id,
		name: name || title || id,
		size: size ?? 0,
		url: file.url_private_download ?? file.url_private ?? "",
		...defined({ type: mimetype || undefined }),
	};
}
