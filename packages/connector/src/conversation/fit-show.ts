import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { Block, Inline } from "../text/document.ts";
import { type Fitted, fitPost, fitPosts } from "../text/fit-posts.ts";
import { parseText } from "../text/parse-text.ts";
import { isBlank } from "./vocabulary/is-blank.ts";
import type { ShowIntention } from "./vocabulary/render-operation.ts";

type Platform = Pick<ChatPlatform, "dialect" | "limits">;

const moreNote = inSmall([{ type: "text", value: "… there is more that does not fit here" }]);
const cutNote = inSmall([{ type: "text", value: "…" }]);

/** The bodies of the posts that show a text with its foot, none of them blank; there may be none. */
export function fitShow({ text, foot, card }: ShowIntention, platform: Platform): Fitted {
	const { dialect, limits } = platform;
	const below = foot === undefined || isBlank(foot) ? "" : writeFoot(foot, platform);
	const narrow = limits.post - dialect.measure(below);
	const document = parseText(text);
	if (card !== undefined) {
		return withFoot({ posts: [fitPost(document, { dialect, limit: narrow }, moreNote)] }, below);
	}
	const sized = (limit: number): Fitted =>
		withFoot(fitPosts(document, { dialect, limit, maxPosts: limits.postsPerAnswer }), below);
	const fitted = sized(limits.post);
	const tooLong = dialect.measure(fitted.posts.at(-1) ?? "") > limits.post;
	return tooLong ? sized(narrow) : fitted;
}

/** The body of a post that is shown instead of one that the platform refuses. */
export function fitPlain(plain: string, { dialect, limits }: Platform): string {
	return fitPost(parseText(plain), { dialect, limit: Math.floor(limits.post / 2) }, cutNote);
}

function withFoot(fitted: Fitted, below: string): Fitted {
	const posts = fitted.posts.filter((post) => !isBlank(post));
	if (below === "") return { ...fitted, posts };
	const last = posts.at(-1);
	return { ...fitted, posts: [...posts.slice(0, -1), last === undefined ? below.trimStart() : last + below] };
}

/** With the line breaks that part it from the text. A foot leaves three quarters of a post to the text. */
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

/** As far as every platform has it. */
function inSmall(children: readonly Inline[]): Block {
	return { type: "paragraph", children: [{ type: "emphasis", children }] };
}
