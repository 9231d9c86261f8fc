import { defined } from "@parley/base";
import type { PlannedRow } from "../outbox/plan.ts";
import { postOfAnswer } from "../platform/answer-card.ts";
import type { PlatformLimits, PostFormat } from "../platform/chat-platform.ts";
import { type Control, type Posting, reactionsOf } from "../platform/posting.ts";
import type { Block, Inline } from "../text/document.ts";
import { type Fitted, fitPost, fitPosts } from "../text/fit-posts.ts";
import { parseText } from "../text/parse-text.ts";
import { type Snippet, withoutLongCode } from "../text/snippets.ts";
import { answerTexts } from "../texts/answers.ts";
import { isBlank, oneLine } from "./vocabulary/plain.ts";
import type { EventTime } from "./vocabulary/reducer.ts";
import type { ReactOperation, RenderOperation, ShowOperation } from "./vocabulary/render-operation.ts";

export interface RowTarget {
	readonly time: EventTime;
	/** Id of the room's conversation in the outbox. */
	readonly conversation: string;
	readonly platform: PostFormat;
}

export interface RenderedRow extends PlannedRow {
	readonly payload: Posting;
}

/**
 * Converts the operations of an event to rows for the outbox, in order. Each row fits the platform, and no post is empty.
 */
export function toRows(operations: readonly RenderOperation[], showing: RowTarget): RenderedRow[] {
	const { time, conversation, platform } = showing;
	const { seq, at } = time;
	return operations.flatMap((operation) => {
		const { lane } = operation;
		const suffix = suffixOf(operation);
		const own = suffix === "" ? {} : { conversation: `${conversation}${suffix}` };
		return postingsOf(operation, platform).map((payload, index) => {
			const card = cardOf(operation, index);
			return { seq, at, lane, ...own, ...defined({ card }), payload: withKey(payload, operation, card) };
		});
	});
}

/**
 * Returns the suffix of the conversation for an operation. Operations with a suffix do not delay the posts of the
 * room.
 */
function suffixOf(operation: RenderOperation): string {
	if (operation.type === "react") return reactionsOf;
	if (operation.type === "title") return "#title";
	const { card, task } = operation;
	const isElsewhere =
		operation.type === "show" && operation.notifies && operation.notifies.ways[0] !== "mention";
	if (isElsewhere) return `#notice:${card ?? ""}`;
	return task === undefined ? "" : `#task:${task}`;
}

/** Maximum length of a title, in UTF-16 code units. Slack allows 200 characters. */
const maxTitle = 200;

function cardOf(operation: RenderOperation, index: number): string | undefined {
	if (operation.type === "thread" || operation.card === undefined) return undefined;
	return operation.type === "show" && operation.flows ? postOfAnswer(operation.card, index) : operation.card;
}

function withKey(payload: Posting, operation: RenderOperation, card: string | undefined): Posting {
	// The growing and the complete answer create the same posts, so their rows share the card as key.
	const isGrown = operation.type === "show" && operation.flows && card !== undefined;
	return payload.type === "post" && isGrown ? { ...payload, key: card } : payload;
}

function postingsOf(operation: RenderOperation, platform: RowTarget["platform"]): Posting[] {
	if (operation.type === "show") return posts(operation, platform);
	if (operation.type === "delete") return [{ type: "delete" }];
	if (operation.type === "react") return [reactionOf(operation, platform)];
	if (operation.type === "title")
		return [{ type: "title", title: oneLine(operation.title, maxTitle) || "…" }];
	const { card, name } = operation;
	return [{ type: "thread", card, name: oneLine(name, platform.limits.threadName) || "…" }];
}

function reactionOf(
	{ message, emoji, notice }: ReactOperation,
	platform: RowTarget["platform"],
): Extract<Posting, { type: "reaction" }> {
	const [posted] = notice === undefined ? [] : posts(notice, platform);
	return { type: "reaction", message, ...defined({ emoji, notice: posted }) };
}

function posts(
	operation: ShowOperation,
	platform: RowTarget["platform"],
): Extract<Posting, { type: "post" }>[] {
	const { replyTo, thread, upload, marker, buttons, since, plain, list, notifies, opens, state } = operation;
	const { controls = [], mentions = [], elsewhere } = operation;
	const fitted = fitShow(operation, platform);
	// Controls and cards need a body with at least one character, or a file.
	const bodies = fitted.posts.length > 0 ? fitted.posts : [upload === undefined ? "…" : ""];
	const rows = fitControls(controls, platform.limits);
	const { snippets } = fitted;
	const ofLast = defined({
		snippets: snippets.length > 0 ? [...snippets] : undefined,
		controls: rows.length > 0 ? rows : undefined,
		file: fitted.file,
		upload,
		marker,
		list,
		notifies,
		opens,
		plain: plain === undefined ? undefined : fitPlain(plain, platform),
	});
	// A card is one post without files. The agent's text has no state, because it can have several posts and files.
	const ofCard = bodies.length === 1 && upload === undefined && fitted.file === undefined ? { state } : {};
	const ids = (index: number): string[] | undefined => buttons && [...buttons(index)];
	return bodies.map((body, index) => {
		const post = {
			type: "post",
			body,
			...defined({
				...ofCard,
				thread,
				since,
				replyTo: index === 0 ? replyTo : undefined,
				mentions: index === 0 && mentions.length > 0 ? [...mentions] : undefined,
				buttons: ids(index),
				elsewhere,
			}),
		} as const;
		return index === bodies.length - 1 ? { ...post, ...ofLast } : post;
	});
}

/** Splits rows with too many controls, and fits each control to the limits. Returns no empty row. */
function fitControls(rows: readonly (readonly Control[])[], limits: PlatformLimits): Control[][] {
	const { controlsPerRow } = limits;
	return rows.flatMap((row) =>
		Array.from({ length: Math.ceil(row.length / controlsPerRow) }, (_, index) =>
			row
				.slice(index * controlsPerRow, (index + 1) * controlsPerRow)
				.map((control) => fitControl(control, limits)),
		),
	);
}

function fitControl(control: Control, { buttonLabel, optionText }: PlatformLimits): Control {
	if (control.type !== "choice") return { ...control, label: shown(control.label, buttonLabel) };
	const options = control.options.map(({ value, label, description, chosen }) => ({
		value,
		chosen,
		label: shown(label, optionText),
		description: oneLine(description, optionText),
	}));
	return { ...control, placeholder: oneLine(control.placeholder, optionText), options };
}

function shown(label: string, maximum: number): string {
	// Platforms refuse empty labels.
	return oneLine(label, maximum) || "…";
}

type Platform = PostFormat;

interface FittedShow extends Fitted {
	readonly snippets: readonly Snippet[];
}

const moreNote = inSmall([{ type: "text", value: answerTexts.cut }]);
const cutNote = inSmall([{ type: "text", value: "…" }]);

/** Fits the text and the footer of an operation into posts. No post is blank, but `posts` may be empty. */
function fitShow({ text, foot, card, flows }: ShowOperation, platform: Platform): FittedShow {
	const { dialect, limits } = platform;
	const below = foot === undefined || isBlank(foot) ? "" : writeFoot(foot, platform);
	const narrow = limits.post - dialect.measure(below);
	const parsed = parseText(text);
	if (card !== undefined && !flows) {
		const posts = [fitPost(parsed, { dialect, limit: narrow }, moreNote)];
		return { ...withFoot({ posts }, below), snippets: [] };
	}
	// Only answers have `flows`. Long code stays in the post while an answer grows, and becomes a file when the
	// answer ends.
	const { document, snippets } =
		flows && platform.snippets ? withoutLongCode(parsed) : { document: parsed, snippets: [] };
	const sized = (limit: number): Fitted =>
		withFoot(fitPosts(document, { dialect, limit, maxPosts: limits.postsPerAnswer }), below);
	const fitted = sized(limits.post);
	const tooLong = dialect.measure(fitted.posts.at(-1) ?? "") > limits.post;
	const shown = tooLong ? sized(narrow) : fitted;
	return { ...shown, snippets };
}

function fitPlain(plain: string, { dialect, limits }: Platform): string {
	return fitPost(parseText(plain), { dialect, limit: Math.floor(limits.post / 2) }, cutNote);
}

function withFoot(fitted: Fitted, below: string): Fitted {
	const posts = fitted.posts.filter((post) => !isBlank(post));
	if (below === "") return { ...fitted, posts };
	const last = posts.at(-1);
	return { ...fitted, posts: [...posts.slice(0, -1), last === undefined ? below.trimStart() : last + below] };
}

/** Writes a footer in at most a quarter of a post, so that the rest remains for the text. */
function writeFoot(foot: string, { dialect, limits }: Platform): string {
	const [first] = parseText(foot.replace(/\s+/gu, " ").trim()).blocks;
	const line: readonly Inline[] =
		first?.type === "paragraph" ? first.children : [{ type: "text", value: foot.trim() }];
	const limit = Math.floor(limits.post / 4);
	const write = (block: Block): string =>
		fitPost({ markdown: foot, blocks: [block] }, { dialect, limit }, cutNote);
	if (dialect.small === undefined) return `\n\n${write(inSmall(line))}`;
	return `\n${dialect.small(write({ type: "paragraph", children: line }))}`;
}

/** Writes small print in a form that all platforms support. */
function inSmall(children: readonly Inline[]): Block {
	return { type: "paragraph", children: [{ type: "emphasis", children }] };
}
