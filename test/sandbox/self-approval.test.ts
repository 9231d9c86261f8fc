import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { paced } from "@parley/base/testing";
import { hasBubblewrap } from "@parley/core/testing";
import { readOperatorToken } from "@parley/gateway";
import { expect, test } from "vitest";
import { OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { choosePort, GatewayProcess } from "../gateway-process.ts";

/** Methods by which a command tries to approve itself. A successful method prints a line that starts with `won`. */
function ways(port: number, data: string, pid: number): string[] {
	const ask = "GET /api/sessions HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\n\\r\\n";
	return [
		`exec 9<>/dev/tcp/127.0.0.1/${port} && echo won connect && printf '${ask}' >&9 && head -c 100 <&9`,
		`exec 9<>/dev/tcp/::1/${port} && echo won connect6`,
		`exec 9<>/dev/tcp/localhost/${port} && echo won connect by name`,
		`curl -s -m 2 http://127.0.0.1:${port}/api/health && echo won curl`,
		`curl -s -m 2 --unix-socket ${data}/x.sock http://x/ && echo won socket`,
		`grep -q . ${data}/tokens/operator && echo won token`,
		`grep -rq gw_operator_ ${data} && echo won token by search`,
		`grep -aq gw_[o]perator_ /proc/*/environ /proc/*/cmdline && echo won token of a process`,
		`[ -e /proc/${pid}/mem ] && tr '\\0' ' ' </proc/${pid}/cmdline | grep gateway && echo won process`,
		`grep -q . /proc/${pid}/root${data}/tokens/operator && echo won token through a process`,
		`ls ${data}/* && echo won listing`,
		`echo x >>${data}/parley.sqlite && echo won database`,
		`sqlite3 ${data}/parley.sqlite "update prompts set state='answered'" && echo won sql`,
		`mkdir -p ${data} && echo '{"auth":"none"}' >${data}/parley.config.json && echo made a file of its own`,
		`kill -TERM ${pid} && [ ${pid} -gt 1000 ] && echo won signal`,
		`ls /proc/self/fd | grep -vxE '[0-3]' && echo won descriptors`,
	];
}

test.skipIf(!hasBubblewrap)(
	"a sandboxed command cannot approve itself: by connecting, by the token, by the database",
	async () => {
		await using stack = new AsyncDisposableStack();
		const directory = stack.adopt(await realpath(await mkdtemp(join(tmpdir(), "parley-self-"))), (path) =>
			rm(path, { recursive: true, force: true }),
		);
		const [root, data] = [join(directory, "root"), join(directory, "data")];
		await mkdir(root);
		const port = await choosePort();
		const gateway = new GatewayProcess({ port, data, root, environment: { PARLEY_SANDBOX: "required" } });
		stack.defer(async () => {
			gateway.kill("SIGTERM");
			await gateway.exited;
		});
		expect(await gateway.ready, gateway.stderr.join("\n")).toBe(true);
		const lines = ways(port, data, gateway.pid).map((line) => `( ${line} ) 2>/dev/null`);
		await writeFile(join(root, "ways.sh"), `${lines.join("\n")}\necho the end\n`);

		await using client = await OzzieClient.connect(`http://127.0.0.1:${port}`);
		await client.open();
		await client.call("send_message", { content: "run: bash ways.sh" });
		const { payload } = await client.event("prompt.request");
		expect(JSON.stringify(payload)).toContain(
			"sandbox: bubblewrap — no network, and only files in the roots",
		);
		await client.call("prompt_response", { token: payload["token"], value: true });
		const answerText = JSON.stringify((await client.event("assistant.message")).payload);
		expect(answerText).toContain("the end");
		expect(answerText).not.toContain("won");
		expect(answerText).not.toContain(await readOperatorToken(data));
		// The command's file was in its own namespace and no longer exists.
		await expect(readFile(join(data, "parley.config.json"))).rejects.toThrow("ENOENT");
		expect(await client.call("list_sessions", {})).toMatchObject({ sessions: [{}] });
	},
	paced(60_000),
);

test.skipIf(!hasBubblewrap)(
	"processes of a command end when the gateway is killed",
	async () => {
		await using stack = new AsyncDisposableStack();
		const directory = stack.adopt(await realpath(await mkdtemp(join(tmpdir(), "parley-self-"))), (path) =>
			rm(path, { recursive: true, force: true }),
		);
		const [root, data] = [join(directory, "root"), join(directory, "data")];
		await mkdir(root);
		const port = await choosePort();
		const gateway = new GatewayProcess({ port, data, root, environment: { PARLEY_SANDBOX: "required" } });
		stack.defer(() => void gateway.kill("SIGKILL"));
		expect(await gateway.ready, gateway.stderr.join("\n")).toBe(true);
		await using client = await OzzieClient.connect(`http://127.0.0.1:${port}`);
		await client.open();
		await client.call("accept_all_tools");
		const beat = "while :; do date +%s%N >beat; sleep 0.05; done";
		await client.call("send_message", { content: `run: (setsid sh -c '${beat}' &); sleep 60` });
		await expect
			.poll(() => readFile(join(root, "beat"), "utf8").catch(() => ""), { timeout: paced(20_000) })
			.toMatch(/\d/);
		gateway.kill("SIGKILL");
		await gateway.exited;
		const read = (): Promise<string> => readFile(join(root, "beat"), "utf8");
		let last = "";
		await expect
			.poll(
				async () => {
					const now = await read();
					const still = now === last;
					last = now;
					return still;
				},
				{ interval: 300, timeout: paced(10_000) },
			)
			.toBe(true);
	},
	paced(60_000),
);
