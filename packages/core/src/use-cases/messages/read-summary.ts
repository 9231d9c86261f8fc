import { defined } from "@parley/base";
import {
	type ContextMessage,
	type ContextProblem,
	isEarlier,
	type MessageContext,
} from "../../vocabulary/message-context.ts";

/** Summary of the messages that the model received as context of a request. Times are milliseconds since the epoch. */
export interface ReadSummary {
	readonly messages: number;
	/** Authors in the order of their first message. */
	readonly authors: readonly {
		readonly name: string;
		readonly messages: number;
		readonly is: ContextMessage["author"]["is"];
	}[];
	readonly oldest?: number;
	readonly newest?: number;
	/** Number of messages that the request replies to, forwards, quotes or links to. */
	readonly referenced: number;
	readonly files: readonly string[];
	readonly hasOlder: boolean;
	readonly problem?: ContextProblem;
}

export function summariseRead({ messages, hasOlder, problem }: MessageContext): ReadSummary {
	const byAuthor = [...Map.groupBy(messages, ({ author }) => author.id).values()];
	const times = messages.map(({ at }) => at);
	const isEmpty = messages.length === 0;
	return {
		messages: messages.length,
		authors: byAuthor.flatMap((own) =>
			own.slice(0, 1).map(({ author: { name, is } }) => ({ name, is, messages: own.length })),
		),
		referenced: messages.filter(({ relation }) => !isEarlier(relation)).length,
		files: messages.flatMap(({ files }) => files.map(({ name }) => name)),
		hasOlder,
		...defined({
			oldest: isEmpty ? undefined : Math.min(...times),
			newest: isEmpty ? undefined : Math.max(...times),
			problem,
		}),
	};
}
