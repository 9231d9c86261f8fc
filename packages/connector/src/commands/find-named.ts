import { ParleyError, parseJson } from "@parley/base";
import * as z from "zod";
import type { HandledEvent, HandlerContext } from "../rooms/handler-context.ts";
import { isKeyOfOther } from "../rooms/refusal.ts";
import type { ListKind } from "../rooms/shown-lists.ts";
import { commandTexts } from "../texts/commands.ts";
import { numberOf } from "./options.ts";

/** An object that people name by its title or by its number in a list. An unknown `title` is empty. */
export interface Named {
	readonly id: string;
	readonly title: string;
}

export interface NameSearch {
	readonly kind: ListKind;
	readonly typed: string;
	/** Command that lists the objects. */
	readonly list: string;
	readonly all: () => Promise<readonly Named[]>;
}

const completeId = /^[a-z]+_[0-9a-z]{26}$/u;
/** Pattern of the gateway's message for an unknown object, for example `not available: Schedule not found: …`. */
const notFound = /^(?:not available: )?\w+ not found:/iu;
/** Minimum length of a typed text that may match a part of a title, or the end of an id. */
const leastPart = 3;

type Found = Named | "none" | "several";

const StoredChoice = z.object({ id: z.string(), title: z.string() });

async function search(
	context: HandlerContext,
	handled: HandledEvent<"command">,
	requested: NameSearch,
): Promise<Found> {
	let failed: "none" | "several" = "none";
	// A retry must use the object that the first attempt found.
	const choice = await context.choices.stored(`${handled.key}/object`, async () => {
		const found = await searchNow(context, handled, requested);
		if (typeof found !== "string") return JSON.stringify(found);
		failed = found;
		return undefined;
	});
	return choice === undefined ? failed : StoredChoice.parse(parseJson(choice));
}

/**
 * Finds an object by its number in the newest list that the person saw, or by its title. A part of the title, or
 * the end of the object's id, is also sufficient. The match must be unique. A complete id is accepted without a
 * check.
 */
async function searchNow(
	context: HandlerContext,
	{ event }: HandledEvent<"command">,
	requested: NameSearch,
): Promise<Found> {
	const typed = requested.typed.trim().toLowerCase();
	if (completeId.test(typed)) return { id: typed, title: "" };
	const number = numberOf(typed);
	const listed = number === undefined ? undefined : context.lists.find(requested.kind, event, number);
	const all = await requested.all();
	if (listed) return all.find(({ id }) => id === listed) ?? { id: listed, title: "" };
	const isPart = typed.length >= leastPart;
	const ways: ((one: Named) => boolean)[] = [
		({ title }) => title.toLowerCase() === typed,
		({ id }) => isPart && id.endsWith(typed),
		({ title }) => isPart && title.toLowerCase().includes(typed),
	];
	for (const fits of ways) {
		const [found, other] = typed === "" ? [] : all.filter(fits);
		if (found) return other ? "several" : found;
	}
	return "none";
}

/**
 * Finds the object that `typed` names. Rejects with `not_found` if no object matches, and with
 * `invalid_argument` if several match.
 */
export async function findNamed(
	context: HandlerContext,
	handled: HandledEvent<"command">,
	requested: NameSearch,
): Promise<Named> {
	const found = await search(context, handled, requested);
	if (typeof found !== "string") return found;
	throw unnamed(found, requested);
}

/**
 * Removes the object that `typed` names, and returns the result. Returns `done` if the gateway already used the key
 * for a request with other parameters: an earlier attempt has then removed the object.
 */
export async function removeNamed<Value>(
	context: HandlerContext,
	handled: HandledEvent<"command">,
	requested: NameSearch & { remove(id: string): Promise<Value>; readonly done: Value },
): Promise<Value> {
	const found = await search(context, handled, requested);
	if (found === "several") throw unnamed(found, requested);
	try {
		return await requested.remove(found === "none" ? requested.typed : found.id);
	} catch (reason) {
		if (isKeyOfOther(reason)) return requested.done;
		throw notFound.test(ParleyError.from(reason).message) ? unnamed("none", requested) : reason;
	}
}

function unnamed(found: "none" | "several", { kind, typed, list }: NameSearch): ParleyError {
	const { none, several } = commandTexts.named;
	const facts = { thing: kind, hasTitle: kind !== "note", typed: typed.trim(), list };
	return found === "none"
		? new ParleyError(none(facts), { code: "not_found" })
		: new ParleyError(several(facts), { code: "invalid_argument" });
}
