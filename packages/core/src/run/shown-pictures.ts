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

/** The pictures of a conversation but for those of the run's own message, each oldest first. */
export interface Standing {
	/** Those that the model sees. */
	readonly shown: readonly Shown[];
	/** Those that it sees no more, nor ever will: a summary stands for them, or they were cleared. */
	readonly hidden: readonly Shown[];
}

/** What there is in the run's conversation at this moment. */
export async function standingIn({ row, history, steps, session }: Run): Promise<Standing> {
	const said = messagesOf(row, steps);
	const own = { ordinal: row.ordinal, messages: [...said, ...notYetIn(said, steps)] };
	const { marks } = await contextsOf(session.deps).of(session);
	const view = viewOf([...history, own], marks);
	const messages = new Set(view);
	const calls = new Set(view.flatMap(picturedIn).map(({ callId }) => callId));
	const standing = [...history, own].flatMap((run) =>
		run.messages.flatMap((message) => [
			...picturedIn(message).map((one): Placed => ({ one, isShown: calls.has(one.callId) })),
			...(run === own ? [] : sentIn(message)).map(
				(one): Placed => ({ one: { ...one, ordinal: run.ordinal }, isShown: messages.has(message) }),
			),
		]),
	);
	return {
		shown: standing.flatMap(({ one, isShown }) => (isShown ? [one] : [])),
		hidden: standing.flatMap(({ one, isShown }) => (isShown ? [] : [one])),
	};
}

interface Placed {
	readonly one: Shown;
	readonly isShown: boolean;
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
	return message.content.flatMap(({ callId, pictures = [] }) =>
		pictures.length > 0 ? [{ callId, pictures }] : [],
	);
}

function picturedBy(step: Step): Pictured[] {
	if (step.kind !== "result") return [];
	const { callId, pictures = [] } = step;
	return pictures.length > 0 ? [{ callId, pictures }] : [];
}

function sentIn(message: Message): { readonly pictures: readonly ImageBlock[] }[] {
	const pictures = message.role === "user" ? message.content.filter((block) => block.type === "image") : [];
	return pictures.length > 0 ? [{ pictures }] : [];
}
