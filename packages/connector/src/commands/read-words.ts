import { definedItems } from "@parley/base";
import type { MethodResult } from "@parley/protocol";
import { plain } from "../conversation/vocabulary/plain.ts";
import type { PlatformWords } from "../platform/chat-platform.ts";
import { contextTexts } from "../texts/context.ts";

type Read = NonNullable<MethodResult<"explain">["read"]>;

const maxAuthors = 10;
const maxFiles = 20;

/** The messages that the agent got with a request: how many, from whom, from when, and which files. Without ids. */
export function readWords(read: Read, platform: PlatformWords): string {
	const { why: texts } = contextTexts;
	const { messages, authors, oldest, newest, files, has_older: hasOlder, problem } = read;
	const names = authors.slice(0, maxAuthors).map(authorWords);
	const others = authors.length - names.length;
	const time = (at: string | undefined): string => (at === undefined ? "" : platform.moment(Date.parse(at)));
	const summary = {
		messages,
		authors: definedItems([...names, others > 0 ? texts.more({ others }) : undefined]).join(", "),
		times: texts.at({ from: time(oldest), to: time(newest) }),
	};
	const listed = files.slice(0, maxFiles).map((name) => `\`${plain(name, 100)}\``);
	return definedItems([
		messages === 0 ? undefined : texts.read(summary),
		listed.length === 0 ? undefined : texts.files({ files: listed.join(", ") }),
		hasOlder ? texts.hasOlder : undefined,
		problem === "unavailable" ? texts.unavailable : undefined,
		problem === "not_allowed" ? texts.notAllowed : undefined,
	]).join("\n");
}

function authorWords({ name, messages, is }: Read["authors"][number]): string {
	const { why: texts } = contextTexts;
	const shown = is === "self" ? texts.me : plain(name, 80);
	return `${texts.author({ name: shown, messages })}${is === "other" ? texts.notMember : ""}`;
}
