import type { EncodedRequest } from "./request.ts";
import type { Turn } from "./turns.ts";

/** Characters of a turn or a block that are kept beside it: of a longer one to copy it is most of the work. */
const mostKept = 4096;

const known = new WeakMap<object, string>();

/**
 * The request as JSON. Each one repeats all that the one before it has said: instructions, tools, turns and their
 * blocks are put into words once, where they are the same objects.
 */
export function textOfRequest({ system, tools, messages, ...rest }: EncodedRequest["body"]): string {
	const parts = [
		JSON.stringify(rest).slice(1, -1),
		...(tools ? [`"tools":${textOf(tools)}`] : []),
		...(system ? [`"system":${textOf(system)}`] : []),
		`"messages":[${messages.map(textOfTurn).join(",")}]`,
	];
	return `{${parts.join(",")}}`;
}

function textOfTurn(turn: Turn): string {
	return textOf(turn, mostKept, () => {
		const blocks = turn.content.map((block) => textOf(block, mostKept));
		return `{"role":"${turn.role}","content":[${blocks.join(",")}]}`;
	});
}

function textOf(
	value: object,
	most = Number.POSITIVE_INFINITY,
	make: () => string = () => JSON.stringify(value),
): string {
	const before = known.get(value);
	if (before !== undefined) return before;
	const text = make();
	if (text.length <= most) known.set(value, text);
	return text;
}
