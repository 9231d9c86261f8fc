import { ParleyError } from "@parley/base";
import type { TaskPayload } from "@parley/protocol";
import { shortId } from "../../conversation/tasks/task-state.ts";
import type { Person, Room } from "../../platform/arrival.ts";
import type { Desk } from "../../rooms/desk.ts";

/** More than anybody looks through. */
const mostLooked = 100;
const leastEnding = 3;

/** The newest tasks of the channel, those that people submitted: not their parts. */
export async function tasksHere(
	{ gateway, onBehalf }: Pick<Desk, "gateway" | "onBehalf">,
	{ person, room }: { readonly person: Person; readonly room: Room },
): Promise<TaskPayload[]> {
	const asked = { limit: mostLooked, ...onBehalf(person, room) };
	const { tasks } = await gateway.request("query_tasks", asked);
	return tasks.filter(({ parent_id }) => parent_id === "");
}

/**
 * The id of the task that somebody means by its id, or by how that ends. Throws `not_found`, and `invalid_argument`
 * where it could be several.
 */
export async function findTask(
	desk: Pick<Desk, "gateway" | "onBehalf" | "platform">,
	who: { readonly person: Person; readonly room: Room },
	typed: string,
): Promise<string> {
	const wanted = typed.trim().toLowerCase();
	// One that was chosen from the list, or that is older than what is looked through.
	if (/^task_[0-9a-z]{26}$/.test(wanted)) return wanted;
	const tasks = wanted.length < leastEnding ? [] : await tasksHere(desk, who);
	const [found, other] = tasks.filter(({ id }) => id.endsWith(wanted));
	if (found && !other) return found.id;
	const message = found
		? `the ids of several tasks end with ${wanted}: write more of the one you mean, such as ${found.id.slice(-10)}`
		: `no task here has an id that ends with ${wanted}: ${desk.platform.command("task list", who.room)} shows them`;
	throw new ParleyError(message, { code: found ? "invalid_argument" : "not_found" });
}

/** Whether somebody who has typed this may mean the task. */
export function mayMean({ id, title }: TaskPayload, typed: string): boolean {
	const words = typed.trim().toLowerCase();
	return title.toLowerCase().includes(words) || id === words || shortId(id).includes(words);
}
