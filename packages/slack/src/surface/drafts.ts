import { defined } from "@parley/base";
import { type Control, DeliveryError, fitPosts, parseText, type StepList } from "@parley/connector";
import { type Body, bodyBlocks } from "../blocks/body-blocks.ts";
import { checkMessage, type Message } from "../blocks/check-message.ts";
import { controlBlocks, linksAsText } from "../blocks/controls.ts";
import { slackDialect } from "../blocks/dialect.ts";
import { isSeen, smallPrintStart } from "../blocks/marks.ts";
import { planBlock } from "../blocks/plan-block.ts";

/** What is to be shown. */
export interface Showing {
	/** As `slackDialect` writes it. */
	readonly body: string;
	readonly controls?: readonly (readonly Control[])[];
	/** Body to show instead if Slack refuses the message. */
	readonly plain?: string;
	/** The list that `body` shows. */
	readonly list?: StepList;
	/** What is said where there is nothing else to read, such as the name of a file. */
	readonly instead?: string;
}

/** A message that Slack takes, and what it had to be spared. */
export interface Drafted {
	readonly message: Message;
	/** The whole text, where the message has only its beginning. */
	readonly file?: { readonly name: string; readonly content: string };
	/** For operators: why it does not look as it was meant to. */
	readonly spared: readonly string[];
}

const kept = 2500;

/**
 * The message for what is to be shown. Where Slack would refuse it, it is shown with less: without controls, and a text
 * that is too long as its beginning, with a file that has all of it. No text is lost. Throws `rejected` where there is no way.
 */
export function draftOf({ body, controls = [], list, instead }: Showing): Drafted {
	const actions = controlBlocks(controls);
	const { controls: refused } = checkMessage({ blocks: actions, text: "-" });
	const text = refused === undefined ? body : body + linksAsText(controls);
	const make = (shown: Body): Message => messageOf(shown, refused === undefined ? actions : [], instead);
	const whole = make(bodyBlocks(text));
	const asPlan = list && { ...whole, blocks: [planBlock(list), ...actions] };
	if (asPlan && refused === undefined && Object.keys(checkMessage(asPlan)).length === 0)
		return { message: asPlan, spared: [] };
	const { body: tooLong } = checkMessage(whole);
	const spared = [refused, tooLong].filter((problem) => problem !== undefined);
	if (tooLong === undefined) return { message: whole, spared };
	const { beginning, file } = beginningOf(text);
	return defined({ message: passed(make(bodyBlocks(beginning))), file, spared });
}

/**
 * The same in the plainest blocks, for a message whose blocks Slack refuses: with its controls, then without them. Empty if
 * there is nothing plainer to say.
 */
export function plainDrafts({ body, plain: plainer, controls = [] }: Showing): readonly Message[] {
	const { text } = bodyBlocks(beginningOf(plainer ?? body).beginning);
	const section = { type: "section", text: { type: "mrkdwn", text }, expand: true } as const;
	const actions = controlBlocks(controls);
	const bare = { blocks: [section], text };
	const all = actions.length === 0 ? [bare] : [{ blocks: [section, ...actions], text }, bare];
	return all.filter((message) => Object.keys(checkMessage(message)).length === 0);
}

function messageOf(
	{ blocks, text }: Body,
	actions: ReturnType<typeof controlBlocks>,
	instead: string | undefined,
): Message {
	const said = isSeen(text) ? { blocks, text } : bodyBlocks(slackDialect.write([plain(instead || "…")]));
	return { blocks: [...said.blocks, ...actions], text: said.text };
}

function plain(value: string) {
	return { type: "paragraph", children: [{ type: "text", value }] } as const;
}

function beginningOf(body: string): { beginning: string; file?: Drafted["file"] } {
	const document = parseText(body.replaceAll(smallPrintStart, "\n"));
	const { posts, file } = fitPosts(document, { dialect: slackDialect, limit: kept, maxPosts: 1 });
	return defined({ beginning: posts[0] ?? "", file });
}

/** Nothing leaves that Slack would not take. */
function passed(message: Message): Message {
	const problems = Object.values(checkMessage(message));
	if (problems.length === 0) return message;
	throw new DeliveryError(`Slack does not take it: ${problems.join(", ")}`, { kind: "rejected" });
}

/** A line of small print below a body. */
export function smallLine(text: string): string {
	return `\n${smallPrintStart}${slackDialect.write([plain(text)])}`;
}
