import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@parley/base";
import { paced } from "@parley/base/testing";
import { hasBubblewrap } from "@parley/core/testing";
import { expect, test } from "vitest";
import { OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { choosePort, GatewayProcess } from "../gateway-process.ts";

/** Program that swaps `dir` and `link` until it is stopped. */
const swapper = `
import ctypes, random, time
libc = ctypes.CDLL(None)
open("swapping", "w").close()
while libc.renameat2(-100, b"dir", -100, b"link", 2) == 0:
    time.sleep(random.random() * 0.001)
`;

const raceMs = 10_000;

interface Results {
	completed: number;
	failed: number;
}

async function write(writer: OzzieClient, content: string, results: Results): Promise<void> {
	const sent = await writer.request("send_message", { content });
	// On a fast machine, the gateway's rate limit may refuse a message.
	if (!sent.ok && sent.error.startsWith("rate limited")) return;
	expect(sent.ok, JSON.stringify(sent)).toBe(true);
	for (;;) {
		const { event, payload } = await writer.event();
		if (event === "tool.call" && payload["status"] === "completed") results.completed += 1;
		if (event === "tool.call" && payload["status"] === "failed") results.failed += 1;
		// A path that leads outside of the root requires approval, which the test denies.
		if (event === "prompt.request") {
			await writer.call("prompt_response", { token: payload["token"], cancelled: true });
		}
		if (event === "assistant.message") return;
	}
}

test.runIf(hasBubblewrap)(
	"a sandboxed command that replaces a directory by a link does not redirect another session's write_file",
	{ timeout: paced(120_000) },
	async () => {
		await using stack = new AsyncDisposableStack();
		const directory = stack.adopt(await realpath(await mkdtemp(join(tmpdir(), "parley-swap-"))), (path) =>
			rm(path, { recursive: true, force: true }),
		);
		const [root, data, outside] = [
			join(directory, "root"),
			join(directory, "data"),
			join(directory, "outside"),
		];
		for (const path of [root, outside, join(root, "dir")]) await mkdir(path);
		await writeFile(join(root, "swap.py"), swapper);
		await writeFile(join(outside, "kept.txt"), "kept");
		await symlink(outside, join(root, "link"));
		const port = await choosePort();
		const gateway = new GatewayProcess({ port, data, root, environment: { PARLEY_SANDBOX: "required" } });
		stack.defer(async () => {
			gateway.kill("SIGTERM");
			await gateway.exited;
		});
		expect(await gateway.ready, gateway.stderr.join("\n")).toBe(true);

		await using attacker = await OzzieClient.connect(`http://127.0.0.1:${port}`);
		await attacker.open();
		await attacker.call("accept_all_tools");
		await attacker.call("send_message", { content: "run: python3 swap.py" });
		await expect.poll(() => readdir(root), { timeout: paced(20_000) }).toContain("swapping");

		await using writer = await OzzieClient.connect(`http://127.0.0.1:${port}`);
		await writer.open();
		await writer.call("accept_all_tools");
		const results = { completed: 0, failed: 0 };
		const end = systemClock.monotonic() + raceMs;
		for (let n = 0; systemClock.monotonic() < end; n++) {
			const call = (name: string): string =>
				`tool: write_file ${JSON.stringify({ path: `dir/${name}`, content: `${n}` })}`;
			const content = [call(`new-${n}.txt`), call("kept.txt")].join("\n");
			await write(writer, content, results);
		}
		// Without the cancel, the gateway would wait for the active run before it stops.
		await attacker.call("cancel_turn");
		process.stdout.write(`${results.completed} writes completed, ${results.failed} refused\n`);
		expect(await readdir(outside)).toEqual(["kept.txt"]);
		expect(await readFile(join(outside, "kept.txt"), "utf8")).toBe("kept");
		expect(results.completed).toBeGreaterThan(0);
		expect(results.failed).toBeGreaterThan(0);
	},
);
