import { expect, test } from "vitest";
import { approvalStory, otherStories } from "../../testing/approval-stories.ts";
import { renderCardLines } from "../../testing/card-lines.ts";
import { chatDialect } from "../../testing/chat-dialect.ts";
import { play, scene } from "../../testing/question-scene.ts";
import { markdownDialect } from "../../text/markdown-dialect.ts";
import { cardLines } from "./short-card.ts";

const scale = process.env["PARLEY_TEST_SCALE"];
const runs = scale === undefined ? 40 : scale === "ci" ? 150 : 2000;

const small = (written: string): string => `-# ${written}`;

test.each([
	["Markdown", { ...markdownDialect, small }],
	["another markup", { ...chatDialect, small }],
])("no post about any approval has more than 8 lines in %s, in any state", (_, dialect) => {
	const platform = { ...scene.platform, dialect };
	// The last three seeds once produced posts that were too long.
	const seeds = [...Array.from({ length: runs }, (_, seed) => seed), 217, 862, 1494];
	const stories = [...seeds.map(approvalStory), ...otherStories()];
	const tooLong = stories.flatMap((events, seed) => {
		const { posts } = play(events, { ...scene, platform });
		const cards = posts.map((post) => renderCardLines(post, platform));
		return cards.filter(({ length }) => length > cardLines).map((lines) => [seed, ...lines].join("\n"));
	});
	expect(tooLong.slice(0, 5)).toEqual([]);
});
