import type { PlayedScene } from "../played-scene.ts";
import type { Scene, Step } from "../step.ts";

/**
 * Returns a step that deletes sessions like `parley sessions rm --force`. The `spared` least recently updated
 * sessions remain.
 */
const deleting = ({ spared }: { readonly spared: number }): Step => ({
	what: "the operator deletes the conversations of the scene",
	does: async ({ sceneGateway, operator, site }: PlayedScene) => {
		const { sessions } = await sceneGateway.through(operator.request("list_sessions", {}));
		const names = site.tenants.map((tenant) => `${site.platform}:${tenant}:`);
		const own = sessions
			.filter(({ external_key = "" }) => names.some((name) => external_key.startsWith(name)))
			.toSorted((one, other) => Date.parse(one.updated_at) - Date.parse(other.updated_at));
		for (const { session_id } of own.slice(spared)) {
			await sceneGateway.through(operator.request("delete_session", { session_id, force: true }));
		}
	},
});
export const deletes = deleting({ spared: 0 });
/** Step that spares one session. Without any session in the gateway, the connector does not recognize a deletion. */
const deletesAllButOne = deleting({ spared: 1 });
const elsewhere: Step[] = [
	{ says: "@Parley say: elsewhere", in: "random" },
	{ shows: "[offline] elsewhere", in: "random" },
];

const review = "review: Is the plan right? <<< One step.\\nAnother step.\nsay: carried out";
const suspended: Step[] = [
	{ says: `@Parley !task new title:Tidy ${review}` },
	{ shows: ["⏸️ **Waiting for your answer**: Is the plan right?", "[Approve] [Revise]"], in: "Tidy" },
	{ notified: ["Mia"] },
];
const requestsApproval: Step[] = [
	{ says: "@Parley write: notes.txt <<< hello" },
	{ shows: ["Approval", "`write_file`", "[Approve once]"] },
];
const taskIsOver: Step[] = [
	{ shows: ["**Tidy**", "⏹️ Cancelled", "its conversation was deleted"], times: 1 },
	{ shows: "This conversation was deleted. Your next message starts a new one.", times: 1 },
	{ hides: "[Cancel]" },
	{ hides: "[Approve]", in: "Tidy" },
];
const continues: Step[] = [{ says: "@Parley say: still here" }, { shows: "[offline] still here", times: 1 }];

/** Scenes with deletions by other clients. The gateway reports a deletion once, and only to connected clients. */
export const deleted: readonly Scene[] = [
	{
		name: "a conversation that another client deletes gets a notice, and the next message starts a new one",
		steps: [
			{ says: "@Parley say: before" },
			{ shows: "[offline] before" },
			deletes,
			{ shows: "This conversation was deleted. Your next message starts a new one.", times: 1 },
			...continues,
		],
	},
	{
		name: "the card and the question of a task close when another client deletes its conversation",
		steps: [...suspended, deletes, ...taskIsOver, ...continues],
	},
	{
		name: "an approval closes when another client deletes its conversation",
		steps: [
			...requestsApproval,
			deletes,
			{ shows: ["Approval", "⌛ **No answer**, so the call did not run"], times: 1 },
			{ hides: "[Approve once]" },
			{ shows: "This conversation was deleted.", times: 1 },
			{ file: "notes.txt", has: null },
		],
	},
	{
		name: "a task whose conversation is deleted while the connector is stopped is closed after its start",
		steps: [
			...elsewhere,
			...suspended,
			{ stops: "connector" },
			deletesAllButOne,
			{ starts: "connector" },
			...taskIsOver,
			{ restarts: "connector" },
			...taskIsOver,
			...continues,
		],
	},
	{
		name: "an approval whose conversation is deleted while the connector is stopped is closed after its start",
		steps: [
			...elsewhere,
			...requestsApproval,
			{ stops: "connector" },
			deletesAllButOne,
			{ starts: "connector" },
			{ shows: ["Approval", "⌛ **No answer**", "the conversation was deleted"], times: 1 },
			{ hides: "[Approve once]" },
			...continues,
		],
	},
	{
		name: "the deletion of an idle conversation while the connector was stopped has no notice",
		steps: [
			...elsewhere,
			{ says: "@Parley say: before" },
			{ shows: "[offline] before" },
			{ stops: "connector" },
			deletesAllButOne,
			{ starts: "connector" },
			{ says: "@Parley say: after" },
			{ showsOnly: ["[offline] before", "[offline] after"] },
		],
	},
];
