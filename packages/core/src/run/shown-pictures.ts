import { contextsOf } from "../context/contexts.ts";
import { viewOf } from "../context/view.ts";
import type { ImageBlock, Message, ResultBlock } from "../message.ts";
import type { Run } from "./run.ts";
import type { Step } from "./step.ts";
import { messagesOf } from "./transcript.ts";

/** Pictures that stand together in a conversation: those of a result, or of the message of an earlier run. */
export type Shown =
	| { readonly callId: string; readonly pictures: readonly ImageBlock[] }
	| { readonly ordinal: number; readonly pictures: readonly ImageBlock[] };

/**
 * All pictures that the model sees, oldest first, but for those of the run's own message: what a summary stands for, or
 * was cleared, it sees no more.
 */
export async function shownIn({ row, history, steps, session }: Run): Promise<Shown[]> {
	const said = messagesOf(row, steps);
	const own = { ordinal: row.ordinal, messages: [...said, ...notYetIn(said, steps)] };
	const { marks } = await contextsOf(session.deps).of(session);
	const view = viewOf([...history, own], marks);
	const messages = new Set(view);
	const calls = new Set(view.flatMap(picturedIn).map(({ callId }) => callId));
	return [...history, own].flatMap((run) =>
		run.messages.flatMap((message): Shown[] => {
			if (message.role === "tool") return picturedIn(message).filter(({ callId }) => calls.has(callId));
			if (run === own || !messages.has(message)) return [];
			const pictures = sentIn(message);
			return pictures.length > 0 ? [{ ordinal: run.ordinal, pictures }] : [];
		}),
	);
}

/** The calls whose pictures no model, or not this one, has answered to: another may have no eyes, or take more. */
export function unseenIn({ history, steps }: Run, model?: string): Set<string> {
	const isBy = (asked: string | undefined): boolean => model === undefined || asked === model;
	const replied = steps.findLastIndex((step) => step.kind === "reply" && isBy(step.asked));
	const own = steps.slice(replied + 1).flatMap(picturedBy);
	const before = replied >= 0 ? [] : history.flatMap(({ messages }) => messages);
	const last = before.findLastIndex((message) => message.role === "assistant" && isBy(message.model));
	return new Set([...before.slice(last + 1).flatMap(picturedIn), ...own].map(({ callId }) => callId));
}

interface Pictured {
	readonly callId: string;
	readonly pictures: readonly ImageBlock[];
}

/** The results of a reply whose calls have not all been answered are in no message. */
function notYetIn(said: readonly Message[], steps: readonly Step[]): Message[] {
	const known = new Set(said.flatMap(picturedIn).map(({ callId }) => callId));
	const content = steps.flatMap((step): ResultBlock[] => {
		if (step.kind !== "result" || !step.pictures || known.has(step.callId)) return [];
		const { kind: type, ...result } = step;
		return [{ type, ...result }];
	});
	return content.length > 0 ? [{ role: "tool", content }] : [];
}

function picturedIn(message: Message): Pictured[] {
	if (message.role !== "tool") return [];
	return message.content.flatMap(({ callId, pictures }) => (pictures ? [{ callId, pictures }] : []));
}

function picturedBy(step: Step): Pictured[] {
	const { callId, pictures } = step.kind === "result" ? step : {};
	return callId !== undefined && pictures ? [{ callId, pictures }] : [];
}

function sentIn(message: Message): ImageBlock[] {
	return message.role === "user" ? message.content.filter((block) => block.type === "image") : [];
}
