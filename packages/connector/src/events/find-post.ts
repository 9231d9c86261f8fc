import { defined, parseJson, type Store } from "@parley/base";
import type { Controls, ControlTarget } from "../controls/controls.ts";
import { tokenOfCard } from "../conversation/questions/question.ts";
import { isAnswerCard, runOfSubject, subjectOfPost } from "../platform/answer-card.ts";
import type { Room } from "../platform/inbound-event.ts";
import { Posting } from "../platform/posting.ts";
import type { ConnectorTables } from "../store/tables.ts";

const taskCard = "task:";

interface Parts {
	readonly store: Store<ConnectorTables>;
	readonly controls: Controls;
}

/** A post of the connector with its current content. */
export interface OwnPost {
	readonly controls: readonly ControlTarget[];
	/** Question that the post shows or reminds of, open or closed. */
	readonly question?: { readonly session: string; readonly token: string };
	/** Run that the post answers, if it is a post of an answer. */
	readonly answer?: { readonly session: string; readonly run: string };
	readonly task?: string;
}

/**
 * Finds a post of the connector by its platform id. Returns undefined for other posts, and for posts that were
 * settled so long ago that their rows are deleted.
 */
export async function findPost({ store, controls }: Parts, message: string): Promise<OwnPost | undefined> {
	const row = await store.read((db) =>
		db
			.selectFrom("outbox")
			.select(["payload", "session", "card", "conversation"])
			.where("remote", "=", message)
			.orderBy("position", "desc")
			.executeTakeFirst(),
	);
	if (row === undefined) return undefined;
	const posting = Posting.safeParse(parseJson(row.payload)).data;
	if (posting?.type !== "post") return undefined;
	const { card, session, conversation } = row;
	const [, task] = conversation.split(`#${taskCard}`);
	const token = card === null ? undefined : tokenOfCard(card);
	const { key = "" } = posting;
	const run = isAnswerCard(key) ? runOfSubject(subjectOfPost(key)) : undefined;
	return {
		controls: (posting.controls ?? []).flat().flatMap((control) => {
			const target = "id" in control ? controls.read(control.id) : undefined;
			return target === undefined ? [] : [target];
		}),
		...defined({
			question: token === undefined ? undefined : { session, token },
			answer: run === undefined ? undefined : { session, run },
			task,
		}),
	};
}

/**
 * Returns the id of the task to which a thread belongs; undefined for other threads. The id of a thread is the id
 * of the post at which the thread was opened.
 */
export async function taskOfThread({ store }: Parts, { thread }: Room): Promise<string | undefined> {
	if (thread === undefined) return undefined;
	const row = await store.read((db) =>
		db
			.selectFrom("cards")
			.select("card")
			.where("remote", "=", thread)
			.where("card", "like", `${taskCard}%`)
			.executeTakeFirst(),
	);
	return row?.card.slice(taskCard.length);
}
