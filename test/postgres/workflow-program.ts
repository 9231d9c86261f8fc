import { createIds, parseFailpoints, silentLogger, systemClock } from "@parley/base";
import { openPostgresStore } from "@parley/base/testing";
import {
	builtinTools,
	createOfflineModel,
	migrations,
	operator,
	Runtime,
	SecretBox,
	type Tables,
} from "@parley/core";
import { noSandboxes, unkeyed } from "@parley/core/testing";

/**
 * Runs the skill `deploy` in a session of a PostgreSQL database, or continues an earlier run. After the answer, prints
 * the session's events as JSON, one per line, and exits. A failpoint in the last argument may kill the process earlier.
 */
const [connection = "", directory = "", hooks] = process.argv.slice(2);
const clock = systemClock;
const store = await openPostgresStore<Tables>({ connection, migrations });
const runtime = new Runtime({
	...{ store, clock, ids: createIds(), log: silentLogger },
	...{ model: createOfflineModel({ clock }), tools: builtinTools(), sandbox: noSandboxes(clock) },
	failpoints: parseFailpoints(hooks ?? ""),
	secrets: new SecretBox(Buffer.alloc(32, 1)),
	roots: { given: [], current: `${directory}/root`, dataDir: `${directory}/data` },
});
/** Sessions with an answer, including the sessions of steps. */
const answers = new Set<string>();
let wake = (): void => undefined;
runtime.observe(operator, ({ event, sessionId }) => {
	if (event.type !== "assistant.message") return;
	answers.add(sessionId);
	wake();
});
await runtime.start();
const sessions = await runtime.list(operator, { limit: 1 });
const id = sessions[0]?.id ?? (await begin());
while (!answers.has(id)) {
	const { promise, resolve } = Promise.withResolvers<void>();
	wake = resolve;
	await promise;
}
for (const { event } of (
	await runtime.history.newest(operator, { sessionId: id, limit: 1000 })
).toReversed()) {
	process.stdout.write(`${JSON.stringify(event)}\n`);
}
await runtime.drain(0);
await store.close();

async function begin(): Promise<string> {
	const created = await runtime.create(unkeyed(), {});
	await runtime.acceptAll(unkeyed(), created.id);
	await runtime.send(unkeyed(), created.id, { content: "/deploy" });
	return created.id;
}
