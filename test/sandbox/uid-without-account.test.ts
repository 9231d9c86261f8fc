import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { paced } from "@parley/base/testing";
import { hasBubblewrap } from "@parley/core/testing";
import { expect, test } from "vitest";
import { OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { choosePort, GatewayProcess } from "../gateway-process.ts";

/** A user id without an entry in /etc/passwd. */
const uid = 54_321;
const launcher = ["unshare", "--user", `--map-user=${uid}`, `--map-group=${uid}`];
const canMap = spawnSync(launcher[0] ?? "", [...launcher.slice(1), "true"]).status === 0;

test.skipIf(!hasBubblewrap || !canMap)(
	"a gateway whose uid has no entry in /etc/passwd, and no HOME, runs commands in the sandbox",
	async () => {
		await using stack = new AsyncDisposableStack();
		const directory = await realpath(await mkdtemp(join(tmpdir(), "parley-uid-")));
		stack.defer(() => rm(directory, { recursive: true, force: true }));
		const [root, data] = [join(directory, "root"), join(directory, "data")];
		await mkdir(root);
		const port = await choosePort();
		const environment = { PARLEY_SANDBOX: "preferred", HOME: undefined };
		const gateway = new GatewayProcess({ port, data, root, environment, launcher });
		stack.defer(async () => {
			gateway.kill("SIGTERM");
			await gateway.exited;
		});
		expect(await gateway.ready, gateway.stderr.join("\n")).toBe(true);
		await using client = await OzzieClient.connect(`http://127.0.0.1:${port}`);
		await client.open();
		await client.call("accept_all_tools");
		await client.call("send_message", { content: "run: id -u; whoami" });
		// Only the sandbox has a name for this user id.
		const answerText = JSON.stringify((await client.event("assistant.message")).payload);
		expect(answerText, gateway.stderr.join("\n")).toContain(`${uid}\\nuser`);
	},
	paced(60_000),
);
