import { cutText } from "@parley/connector";
import * as z from "zod";
import { blocksText } from "./blocks-text.ts";

/** Slack shows a hundred at most: https://docs.slack.dev/messaging/formatting-message-text#attachments */
const mostAttachments = 20;
/** Of all that is attached together: half of what people can write in a message. */
const mostText = 20_000;

const text = z.string().catch("").default("");
const list = z.array(z.unknown()).catch([]).default([]);

/**
 * https://docs.slack.dev/legacy/legacy-messaging/legacy-secondary-message-attachments, and what Slack makes itself of
 * messages that are forwarded and of links. What is not as it should be is read as if it were not there.
 */
const Attachment = z.object({
	...{ pretext: text, author_name: text, title: text, title_link: text, text, fallback: text },
	...{ fields: list, blocks: list, message_blocks: list, files: list },
	...{ from_url: text, original_url: text, app_unfurl_url: text },
	is_share: z.boolean().catch(false).default(false),
});
type Attachment = z.output<typeof Attachment>;

const Field = z.object({ title: text, value: text });
const Inside = z.object({ message: z.object({ blocks: list }) });

/** What Slack puts there itself. */
const nothing = "[no preview available]";

/** As far as a message is read here. */
interface Carrying {
	readonly text: string;
	readonly blocks?: readonly unknown[] | null | undefined;
	readonly attachments?: readonly unknown[] | null | undefined;
}

/**
 * All that a message says, in mrkdwn: its text, that of its blocks where it has none, and below that as quotes what was
 * forwarded with it and what an app has attached, within a bound. Previews of links are no words of who wrote the link.
 */
export function wholeText({ text: written, blocks, attachments }: Carrying): string {
	const own = written.trim() === "" ? blocksText(blocks ?? []) : written;
	const attached = said(attachments).map(quoteOf).filter(Boolean).join("\n\n");
	return [own, cutText(attached, mostText)].filter(Boolean).join("\n\n");
}

/** The files of a message and of what was forwarded with it, as Slack shows them. */
export function sharedFiles({
	files,
	attachments,
}: {
	readonly files?: readonly unknown[] | null | undefined;
	readonly attachments?: Carrying["attachments"];
}): unknown[] {
	return [...(files ?? []), ...said(attachments).flatMap((one) => one.files)];
}

/** A message that is forwarded names where it is from, as a preview does. */
function said(attachments: Carrying["attachments"]): Attachment[] {
	return (attachments ?? [])
		.flatMap((one) => Attachment.safeParse(one).data ?? [])
		.filter((one) => one.is_share || !(one.from_url || one.original_url || one.app_unfurl_url))
		.slice(0, mostAttachments);
}

function quoteOf(attachment: Attachment): string {
	const { author_name: author, title, title_link: link, pretext, fallback } = attachment;
	const name = title !== "" && link !== "" ? `<${link}|${title}>` : title;
	const head = [author, name].filter(Boolean).join(": ");
	const inside = attachment.message_blocks.flatMap((one) => Inside.safeParse(one).data?.message.blocks ?? []);
	const body = attachment.text || blocksText([...attachment.blocks, ...inside]);
	const fields = attachment.fields
		.flatMap((one) => Field.safeParse(one).data ?? [])
		.map((field) => [field.title, field.value].filter(Boolean).join(": "));
	const parts = [pretext, body, ...fields].filter(Boolean);
	const instead = name === "" && parts.length === 0 && fallback !== nothing ? fallback : "";
	const lines = [head && name === "" ? `${head}:` : head, ...parts, instead].filter(Boolean);
	const isEmpty = name === "" && parts.length === 0 && instead === "";
	return isEmpty ? "" : cutText(lines.join("\n"), mostText).replace(/^/gm, "> ");
}
