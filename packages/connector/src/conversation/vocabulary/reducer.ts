import type { OzzieEvent } from "@parley/protocol";
import type { Controls } from "../../controls/controls.ts";
import type { ChatPlatform, PlatformLimits, PlatformWords } from "../../platform/chat-platform.ts";
import type { Dialect } from "../../text/dialect.ts";
import type { RenderOperation } from "./render-operation.ts";

/** Position of an event in its session. */
export interface EventTime {
	readonly seq: number;
	/** When it happened, in milliseconds since the epoch. */
	readonly at: number;
}

/** An event that the gateway has recorded, or that the session was deleted, which is the last one. */
export interface RecordedEvent extends EventTime {
	readonly event: OzzieEvent;
}

/** Part of a platform that reducers read. Without a dialect, texts are measured as plain Markdown. */
export interface ScenePlatform extends PlatformWords {
	readonly limits: PlatformLimits;
	readonly dialect?: Dialect;
	readonly repliesInThreads?: boolean;
	readonly command: ChatPlatform["command"];
}

/** What a conversation knows of its surroundings. None of it but `taskOf` changes while the connector runs. */
export interface Scene {
	readonly session: string;
	readonly controls: Controls;
	readonly platform: ScenePlatform;
	/** The thread that the room is. */
	readonly thread?: string;
	/** The task whose card shows a task: itself, or the one that it works for; undefined where none does. */
	readonly taskOf?: (id: string) => string | undefined;
	/** Whether a card can have a thread there: not where the room is one already. True unless told. */
	readonly threads?: boolean;
}

export interface Step<Slice> {
	readonly slice: Slice;
	readonly operations: readonly RenderOperation[];
}

/**
 * One concern of a conversation: what it remembers, and what each event makes of that and shows. Pure: the same events
 * give the same operations, after a restart and in another process. A slice is JSON, and bounded.
 */
export interface Reducer<Slice> {
	readonly empty: Slice;
	reduce(slice: Slice, recorded: RecordedEvent, scene: Scene): Step<Slice>;
}
