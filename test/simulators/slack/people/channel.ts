import type { AnyBlock, MessageAttachment } from "@slack/types";
import type { PostState } from "../../chat/post-states.ts";
import { addMessage, announce, changeMessage, removeMessage } from "../platform/messages.ts";
import type { ChannelRecord, MessageRecord, Prompt, SessionStatus } from "../platform/records.ts";
import {
	addUser,
	archive,
	deleteChannel,
	join,
	leave,
	renameChannel,
	share,
	unshare,
} from "../platform/rooms.ts";
import { sessionAt } from "../platform/sessions.ts";
import type { State } from "../platform/state.ts";
import { statusesNow } from "../platform/statuses.ts";
import { isSeen, type Shown, show, statesOf } from "./shown.ts";
import type { Team } from "./team.ts";
import { messageText } from "./transcript.ts";

interface Viewer {
	readonly id: string;
}

/**
 * Returns the app's suggested prompts in a channel or thread. In direct messages, the suggestions of the manifest
 * apply until the app sets its own suggested prompts.
 */
export function promptsIn(state: State, { record, threadTs = "" }: Channel): readonly Prompt[] {
	const found = state.prompts.get(`${record.id}-${threadTs}`);
	return found?.prompts ?? (record.kind === "im" ? state.app.prompts : []);
}

interface Attached {
	readonly attachments?: readonly MessageAttachment[];
	readonly blocks?: readonly AnyBlock[];
}

export class Channel {
	readonly #state: State;
	readonly record: ChannelRecord;
	/** Timestamp of the thread's first message. Undefined for a channel. */
	readonly threadTs: string | undefined;

	constructor(state: State, record: ChannelRecord, threadTs?: string) {
		this.#state = state;
		this.record = record;
		this.threadTs = threadTs;
	}

	get id(): string {
		return this.threadTs === undefined ? this.record.id : `${this.record.id}-${this.threadTs}`;
	}

	get name(): string {
		return this.threadTs === undefined ? this.record.name : (this.root?.text.split("\n")[0] ?? "");
	}

	/** Returns the first message of the thread, or undefined for a channel. */
	get root(): Shown | undefined {
		const root = this.record.messages.find(({ ts }) => ts === this.threadTs);
		return root && show(this.#state, root);
	}

	/**
	 * Returns the messages that the viewer sees, oldest first. Without a viewer, returns messages that all members of
	 * the channel see. For a thread, returns only its replies.
	 */
	shows(viewer?: Viewer): Shown[] {
		const here = this.record.messages.filter((message) => this.#isHere(message) && isSeen(message, viewer));
		return here.map((message) => show(this.#state, message));
	}

	#isHere({ threadTs, broadcast }: MessageRecord): boolean {
		if (this.threadTs !== undefined) return threadTs === this.threadTs;
		return threadTs === undefined || broadcast;
	}

	last(viewer?: Viewer): Shown {
		const last = this.shows(viewer).at(-1);
		if (!last) throw new Error(`nothing is said in ${this.name}`);
		return last;
	}

	/** Returns the states of a message, even if it is deleted. Throws if the message never existed. */
	states({ id }: Viewer): PostState[] {
		const ts = id.split("-")[1] ?? id;
		const found = this.record.messages.find((message) => message.ts === ts);
		if (!found) throw new Error(`${this.name} has had no message ${id}`);
		return statesOf(this.#state, found);
	}

	/** Returns the messages that the viewer sees, as text. Each thread is below its message. */
	transcript(viewer?: Viewer): string {
		const lines = this.shows(viewer).flatMap((shown) => {
			const thread = this.threadTs === undefined ? this.thread(shown).shows(viewer) : [];
			const inside = thread.flatMap((answer) => messageText(answer).split("\n"));
			return [messageText(shown), ...inside.map((line) => `    | ${line}`.trimEnd())];
		});
		return [
			this.threadTs === undefined ? `== #${this.name || "direct messages"}` : `== ${this.name}`,
			...lines,
		].join("\n");
	}

	/** Returns the status texts of the app: in this thread, or in this channel with all its threads. */
	statuses(): string[] {
		return statusesNow(this.#state, this.record)
			.filter(({ threadTs }) => this.threadTs === undefined || this.threadTs === threadTs)
			.map(({ status }) => status);
	}

	/** Returns the session of this thread, or undefined for a channel and for a thread without a session. */
	get session(): { readonly status: SessionStatus; readonly title: string } | undefined {
		const { record: channel, threadTs } = this;
		const found = threadTs === undefined ? undefined : sessionAt(this.#state, { channel, threadTs });
		return found && { status: found.status, title: found.title };
	}

	get prompts(): string[] {
		return promptsIn(this.#state, this).map(({ title }) => title);
	}

	typing(): string[] {
		return this.statuses().length > 0 ? [this.#state.app.user.name] : [];
	}

	/** Returns the threads of the channel, in the order of their first messages. */
	threads(): Channel[] {
		const begun = new Set(this.record.messages.flatMap(({ threadTs }) => threadTs ?? []));
		const roots = this.record.messages.filter(({ ts }) => begun.has(ts));
		return roots.map(({ ts }) => new Channel(this.#state, this.record, ts));
	}

	/** Returns the thread of a message, even if it has no replies. */
	thread({ id }: Viewer): Channel {
		return new Channel(this.#state, this.record, id.split("-")[1] ?? id);
	}

	get archived(): boolean {
		return this.record.archived;
	}

	archive(archived = true): void {
		archive(this.#state, this.record, this.record.creator, archived);
	}

	rename(name: string): void {
		renameChannel(this.#state, this.record, name);
	}

	delete(): void {
		deleteChannel(this.#state, this.record);
	}

	shares(team: Team): void {
		share(this.#state, this.record, team.record);
	}

	offers(team: Team): void {
		this.record.sharePending.add(team.record);
	}

	unshares(team: Team): void {
		unshare(this.#state, this.record, team.record);
	}

	/** Adds a user to the channel, by default the app. */
	joins({ id }: Viewer = this.#state.app.user, by?: Viewer): void {
		join(this.#state, this.record, this.#state.user(id), by && this.#state.user(by.id));
	}

	loses({ id }: Viewer = this.#state.app.user): void {
		leave(this.#state, this.record, this.#state.user(id));
	}

	receives(name: string, text: string, { attachments = [], blocks = [] }: Attached = {}): Shown {
		const author = addUser(this.#state, name, { isBot: true });
		const message = addMessage(this.#state, {
			...{ author, channel: this.record, text, subtype: "bot_message", username: name },
			...{ attachments, blocks },
			...(this.threadTs !== undefined && { threadTs: this.threadTs }),
		});
		announce(this.#state, message);
		return show(this.#state, message);
	}

	/** Adds a link preview as Slack does: the message changes, but is not marked as edited. */
	unfurls({ id }: Viewer): void {
		const message = this.#find(id);
		const previews = [{ url: "https://example.com/", title: "Example" }];
		changeMessage(this.#state, message, { previews }, { by: message.author, isEdit: false });
	}

	moderates({ id }: Viewer): void {
		removeMessage(this.#state, this.#find(id));
	}

	#find(id: string): MessageRecord {
		return this.#state.message(this.record, id.split("-")[1] ?? id);
	}
}
