import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseJson, systemClock } from "@parley/base";
import { openConnectorDatabase } from "@parley/connector";
import { expect, test } from "vitest";
import { discord } from "../gateway/platform.ts";
import { CapturedIo } from "../testing/captured-io.ts";
import { examineConnector } from "./examine-connector.ts";

async function* nothing() {
	yield* [];
}

test("reports that no connector is running, and notices whose first delivery method did not reach an approver", async () => {
	await using directory = await mkdtempDisposable(join(tmpdir(), "parley-examine-"));
	const data = directory.path;
	const { store } = await openConnectorDatabase({ platform: "discord", dataDir: data, clock: systemClock });
	const notice = { people: ["42"], ways: ["direct", "mention"], channels: [] };
	await store.commit((tx) =>
		tx
			.insertInto("outbox")
			.values({
				...{ id: "a", session: "s", seq: 1, conversation: "c", lane: "approval", card: null, at: 1 },
				...{ state: "confirmed", attempts: 1, remote: "7", changed_at: 5 },
				reason: "a direct message to 42 failed: closed",
				payload: JSON.stringify({ type: "post", body: "x", notifies: notice }),
			})
			.execute(),
	);
	await store.close();
	const io = new CapturedIo();
	const flags = { data, json: true };
	await examineConnector({ platform: discord, flags, io, found: nothing() });
	const findings = parseJson(io.drainOut());
	expect(findings).toContainEqual({
		id: "discord-connector",
		status: "warn",
		what: `no Discord connector is running on the data directory ${data}`,
		fix: "set DISCORD_TOKEN, then start the gateway with `parley start`, or run `parley discord` beside a running gateway",
	});
	expect(findings).toContainEqual({
		id: "discord-notices",
		status: "warn",
		what: expect.stringContaining(
			"the first configured method failed for 1 notice to approvers; most recently: a direct message to 42",
		),
		fix: expect.stringContaining("chat.approvalNotices"),
	});
});
