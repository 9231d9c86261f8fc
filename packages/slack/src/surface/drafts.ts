import { defined } from "@parley/base";
import { type Control, DeliveryError, fitPosts, parseText, type StepList } from "@parley/connector";
import { type Body, bodyBlocks } from "../blocks/body-blocks.ts";
import { checkMessage, type OutgoingMessage } from "../blocks/check-message.ts";
import { controlBlocks, linksAsText, plainControlBlocks } from "../blocks/controls.ts";
import { slackDialect } from "../blocks/dialect.ts";
import { isSeen, smallPrintStart } from "../blocks/marks.ts";
import { planBlock } from "../blocks/plan-block.ts";
import { deliveryTexts } from "../texts/delivery.ts";

export interface Showing {
	/** Text that `slackDialect` has written. */
	readonly body: string;
	readonly controls?: readonly (readonly Control[])[];
	/** Body to show if Slack refuses the message. */
	readonly plain?: string;
	/** List of steps in `body`. */
	readonly list?: StepList;
	/** Text of a message without other content, for example a file name. */
	readonly instead?: string;
	/** Ids of people whom the message notifies. */
	readonly mentions?: readonly string[];
}

export interface Drafted {
	readonly message: OutgoingMessage;
	/** Complete text, if the message contains only its beginning. */
	readonly file?: { readonly name: string; readonly content: string };
	/** Reasons for missing parts, for operators. */
	readonly omitted: readonly string[];
}

const reserved = 2500;

/**
 * Returns a message without the parts that Slack would refuse. Drops controls, and shortens a text that is too
 * long, with the complete text in a file. Throws `rejected` if no valid message is possible.
 */
export function draftOf(showing: Showing): Drafted {
	const drafted = withoutMentions(showing);
	return { ...drafted, message: withMentions(drafted.message, showing) };
}

function withoutMentions({ body, controls = [], list, instead }: Showing): Drafted {
	const actions = controlBlocks(controls);
	const { controls: refused } = checkMessage({ blocks: actions, text: "-" });
	const text = refused === undefined ? body : body + linksAsText(controls);
	const make = (shown: Body): OutgoingMessage =>
		messageOf(shown, refused === undefined ? actions : [], instead);
	const message = make(bodyBlocks(text));
	const asPlan = list && { ...message, blocks: [planBlock(list), ...actions] };
	if (asPlan && refused === undefined && Object.keys(checkMessage(asPlan)).length === 0)
		return { message: asPlan, omitted: [] };
	const { body: tooLong } = checkMessage(message);
	const omitted = [refused, tooLong].filter((problem) => problem !== undefined);
	if (tooLong === undefined) return { message, omitted };
	const { beginning, file } = beginningOf(text);
	return defined({ message: passed(make(bodyBlocks(beginning))), file, omitted });
}

/**
 * Returns simpler versions of a message, to use after Slack has refused its blocks: with the controls, then without
 * the controls. The versions contain only the beginning of a long body. Empty if no version is valid.
 */
export function plainDrafts({
	body,
	plain: plainer,
	mentions,
	controls = [],
}: Showing): readonly OutgoingMessage[] {
	const { text } = bodyBlocks(beginningOf(plainer ?? body).beginning);
	const section = { type: "section", text: { type: "mrkdwn", text }, expand: true } as const;
	const actions = plainControlBlocks(controls);
	const bare = { blocks: [section], text };
	const simple = actions.length === 0 ? [bare] : [{ blocks: [section, ...actions], text }, bare];
	const all = simple.map((message) => withMentions(message, defined({ mentions })));
	return all.filter((message) => Object.keys(checkMessage(message)).length === 0);
}

/** Adds mentions: https://docs.slack.dev/messaging/formatting-message-text#mentioning-users */
function withMentions(
	message: OutgoingMessage,
	{ mentions = [] }: Pick<Showing, "mentions">,
): OutgoingMessage {
	if (mentions.length === 0) return message;
	const named = mentions.map((id) => `<@${id}>`).join(" ");
	const section = { type: "section", text: { type: "mrkdwn", text: named } } as const;
	return { blocks: [section, ...message.blocks], text: `${named} ${message.text}` };
}

function messageOf(
	{ blocks, text }: Body,
	actions: ReturnType<typeof controlBlocks>,
	instead: string | undefined,
): OutgoingMessage {
	const content = isSeen(text) ? { blocks, text } : bodyBlocks(slackDialect.write([plain(instead || "…")]));
	return { blocks: [...content.blocks, ...actions], text: content.text };
}

function plain(value: string) {
	return { type: "paragraph", children: [{ type: "text", value }] } as const;
}

function beginningOf(body: string): { beginning: string; file?: Drafted["file"] } {
	const document = parseText(body.replaceAll(smallPrintStart, "\n"));
	const { posts, file } = fitPosts(document, { dialect: slackDialect, limit: reserved, maxPosts: 1 });
	return defined({ beginning: posts[0] ?? "", file });
}

function passed(message: OutgoingMessage): OutgoingMessage {
	const problems = Object.values(checkMessage(message));
	if (problems.length === 0) return message;
	throw new DeliveryError(deliveryTexts.invalid({ problems }), { kind: "rejected" });
}

/** Returns a line of small print to append to a body. */
export function smallLine(text: string): string {
	return `\n${smallPrintStart}${slackDialect.write([plain(text)])}`;
}
