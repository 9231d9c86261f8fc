import type { Message } from "../../vocabulary/message.ts";
import type { RunTranscript } from "../../vocabulary/transcript.ts";

/** A place in a session's transcript: in front of a message of a run. */
export interface Position {
	/** The run's ordinal. */
	readonly run: number;
	readonly message: number;
}

export function isBefore(a: Position, b: Position): boolean {
	return a.run < b.run || (a.run === b.run && a.message < b.message);
}

/** Behind everything that there is. */
export function endOf(transcript: readonly RunTranscript[]): Position {
	const last = transcript.at(-1);
	return { run: last?.ordinal ?? 0, message: last?.messages.length ?? 0 };
}

/** Messages that are kept or removed together: a message of a person, or a reply with the results of its calls. */
export interface Group {
	readonly at: Position;
	readonly messages: readonly Message[];
	/** Whether a person's message is the first of its run here. */
	readonly opens: boolean;
}

/** All groups, in order. */
export function groupsOf(transcript: readonly RunTranscript[]): Group[] {
	return transcript.flatMap(({ ordinal, messages }) => {
		const groups: Group[] = [];
		for (let start = 0; start < messages.length; ) {
			let end = start + 1;
			while (messages[end]?.role === "tool") end++;
			const opens = start === 0 && messages[0]?.role === "user";
			groups.push({ at: { run: ordinal, message: start }, messages: messages.slice(start, end), opens });
			start = end;
		}
		return groups;
	});
}

/** The transcript up to a place. */
export function until(transcript: readonly RunTranscript[], end: Position): RunTranscript[] {
	return transcript
		.filter(({ ordinal }) => ordinal <= end.run)
		.map((run) => (run.ordinal === end.run ? { ...run, messages: run.messages.slice(0, end.message) } : run));
}
