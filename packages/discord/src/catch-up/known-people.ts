import { parseJson, type Store } from "@parley/base";
import type { ConnectorTables } from "@parley/connector";
import * as z from "zod";

const Author = z.object({ id: z.string(), bot: z.boolean() });
const mostRows = 2000;

/** The ids of people whom the agent has heard in the last days, who spoke last first, without those of these conversations. */
export async function readKnownPeople(
	store: Pick<Store<ConnectorTables>, "read">,
	except: ReadonlySet<string>,
): Promise<string[]> {
	const rows = await store.read((db) =>
		db
			.selectFrom("heard")
			.select(["person", "conversation"])
			// Whom the gateway does not know, it answers nothing either.
			.where("effect", "in", ["sent", "edited", "answered", "replied"])
			.orderBy("at", "desc")
			.limit(mostRows)
			.execute(),
	);
	const heard = rows.map(({ person, conversation }) => ({
		...Author.parse(parseJson(person)),
		conversation,
	}));
	const known = new Set(heard.filter(({ conversation }) => except.has(conversation)).map(({ id }) => id));
	const people = heard.filter(({ id, bot }) => !bot && !known.has(id));
	return [...new Set(people.map(({ id }) => id))];
}
