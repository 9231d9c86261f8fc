import type { OzzieEvent } from "@parley/protocol";
import type { Controls } from "../../controls/controls.ts";
import type { LiveLevel } from "../../platform/answer-card.ts";
import type { ChatPlatform, PlatformLimits, PlatformWords } from "../../platform/chat-platform.ts";
import type { CardLink } from "../../platform/posting.ts";
import type { Dialect } from "../../text/dialect.ts";
import type { RenderOperation } from "./render-operation.ts";

/** Position of an event in its session. */
export interface EventTime {
	readonly seq: number;
	/** Time of the event, in milliseconds since the epoch. */
	readonly at: number;
}

/** An event that the gateway recorded, or the deletion of the session as its last event. */
export interface RecordedEvent extends EventTime {
	readonly event: OzzieEvent;
}

/** Parts of a platform that reducers read. Without a dialect, texts are measured as plain Markdown. */
export interface ScenePlatform extends PlatformWords {
	readonly limits: PlatformLimits;
	readonly dialect?: Dialect;
	readonly repliesInThreads?: boolean;
	readonly titles?: NonNullable<ChatPlatform["titles"]>;
	readonly command: ChatPlatform["command"];
}

/** Kind of request for which a run waits. */
export type WaitsFor = "approval" | "question" | "secret";

/**
 * Data that reducers read in addition to the events. Only `at`, `taskOf`, `waitsFor` and the results of `live`,
 * `reacts` and `offers` change while the connector runs.
 */
export interface Scene {
	readonly session: string;
	/** Time of the event that is reduced, in milliseconds since the epoch. */
	readonly at?: number;
	readonly controls: Controls;
	readonly platform: ScenePlatform;
	/** Address of the room on the platform, if it has one. */
	readonly link?: string;
	/**
	 * The room on its platform. `platform` is the name of the platform in principals. Without a room, posts do not
	 * mention the requester of a task, and have no links to cards.
	 */
	readonly room?: CardLink["room"] & { readonly platform: string };
	/** Thread id, if the room is a thread. */
	readonly thread?: string;
	/** Returns the id of the task whose card shows the task or worker `id`. Returns undefined if no card shows it. */
	readonly taskOf?: (id: string) => string | undefined;
	/** Kind of the request for which the active run waits. The run continues after a person answers. */
	readonly waitsFor?: WaitsFor | undefined;
	/** Returns how much of an answer the channel sees while the agent is working. Default: `tools`. */
	readonly live?: () => LiveLevel;
	/** Returns whether reactions show the state of messages. Default: no. */
	readonly reacts?: () => boolean;
	/** Returns whether the author of a queued message can add it to the active run. Default: no. */
	readonly offers?: () => boolean;
	/** Whether a card can have a thread. False inside a thread. Default: true. */
	readonly threads?: boolean;
}

export interface ReducerStep<Slice> {
	readonly slice: Slice;
	readonly operations: readonly RenderOperation[];
}

/**
 * Reducer for one aspect of a conversation. It is pure: the same events give the same operations, even after a restart and
 * in another process. A slice is JSON of limited size.
 */
export interface Reducer<Slice> {
	readonly empty: Slice;
	reduce(slice: Slice, recorded: RecordedEvent, scene: Scene): ReducerStep<Slice>;
}
