import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { paced } from "@parley/base/testing";
import { hasBubblewrap } from "@parley/core/testing";
import { readOperatorToken } from "@parley/gateway";
import { expect, test } from "vitest";
import { OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { choosePort, GatewayProcess } from "../gateway-process.ts";

/** An approval that stays open while a command tries to approve itself. */
interface Open {
	readonly sessionId: string;
	readonly token: string;
}

/**
 * Returns script lines that print `won approval` if they can approve. The script's arguments are the session and the
 * token of the approval.
 */
function approvalLines(port: number, data: string): string {
	const text = JSON.stringify({
		type: "req",
		id: "self",
		method: "prompt_response",
		session_id: "'$1'",
		params: { token: "'$2'", value: true },
	});
	return [
		`exec 9<>/dev/tcp/127.0.0.1/${port} || exit`,
		String.raw`printf '%s\r\n' 'GET /api/ws HTTP/1.1' 'Host: 127.0.0.1:${port}' "Authorization: Bearer $(cat ${data}/tokens/operator)" >&9`,
		String.raw`printf '%s\r\n' 'Connection: Upgrade' 'Upgrade: websocket' 'Sec-WebSocket-Version: 13' >&9`,
		String.raw`printf '%s\r\n' 'Sec-WebSocket-Key: c2VsZi1hcHByb3ZhbC0wMQ==' '' >&9`,
		`text='${text}'`,
		// RFC 6455: a final text frame, a masked 16-bit length, and a mask of zeros, which leaves the text unchanged.
		// biome-ignore lint/suspicious/noTemplateCurlyInString: the shell reads it
		"length=$(printf '\\\\%03o' $((${#text} / 256)) $((${#text} % 256)))",
		String.raw`printf "\201\376$length\0\0\0\0" >&9`,
		'printf %s "$text" >&9',
		"IFS= read -r -d '}' -t 20 reply <&9",
		`[[ $reply == *'"ok":true'* ]] && echo won approval`,
	].join("\n");
}

/**
 * Returns script lines that attack the gateway. A successful line prints a text that starts with `won`. The line that
 * creates a configuration file prints another text, because in the sandbox it can only create that file in its own
 * namespace.
 */
function attemptLines(gateway: GatewayProcess, data: string): string[] {
	const { port, pid } = gateway;
	const ask = "GET /api/sessions HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\n\\r\\n";
	return [
		approvalLines(port, data),
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

interface Started extends AsyncDisposable {
	readonly gateway: GatewayProcess;
	readonly root: string;
	readonly data: string;
}

async function start(sandbox: "required" | "off"): Promise<Started> {
	await using stack = new AsyncDisposableStack();
	const directory = stack.adopt(await realpath(await mkdtemp(join(tmpdir(), "parley-self-"))), (path) =>
		rm(path, { recursive: true, force: true }),
	);
	const [root, data] = [join(directory, "root"), join(directory, "data")];
	await mkdir(root);
	const environment = { PARLEY_SANDBOX: sandbox };
	const gateway = new GatewayProcess({ port: await choosePort(), data, root, environment });
	stack.defer(async () => {
		gateway.kill("SIGTERM");
		await gateway.exited;
	});
	expect(await gateway.ready, gateway.stderr.join("\n")).toBe(true);
	const moved = stack.move();
	return { gateway, root, data, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

async function openApproval(client: OzzieClient): Promise<Open> {
	const sessionId = await client.open();
	await client.call("send_message", { content: "run: echo ran >approved.txt" });
	const { payload } = await client.event("prompt.request");
	return { sessionId, token: String(payload["token"]) };
}

async function writeScript(root: string, lines: readonly string[]): Promise<void> {
	const attempts = lines.map((line) => `( ${line} ) 2>/dev/null`);
	// The script must exist before the approval, because an approval is bound to the files of the root.
	await writeFile(join(root, "ways.sh"), `${attempts.join("\n")}\necho the end\n`);
}

async function runScript(port: number, { sessionId, token }: Open) {
	await using client = await OzzieClient.connect(`http://127.0.0.1:${port}`);
	await client.open();
	await client.call("send_message", { content: `run: bash ways.sh ${sessionId} ${token}` });
	const { payload } = await client.event("prompt.request");
	await client.call("prompt_response", { token: payload["token"], value: true });
	const answer = await client.event("assistant.message");
	return { approval: JSON.stringify(payload), answer: JSON.stringify(answer.payload) };
}

test.skipIf(!hasBubblewrap)(
	"a sandboxed command cannot approve itself: by connecting, by the token, by the database",
	async () => {
		await using started = await start("required");
		const { gateway, root, data } = started;
		await writeScript(root, attemptLines(gateway, data));
		await using client = await OzzieClient.connect(`http://127.0.0.1:${gateway.port}`);
		const open = await openApproval(client);
		const { approval, answer } = await runScript(gateway.port, open);
		expect(approval).toContain("sandbox: bubblewrap — no network, and only files in the roots");
		expect(answer).toContain("the end");
		expect(answer).not.toContain("won");
		expect(answer).not.toContain(await readOperatorToken(data));
		// The file was created in the command's own namespace and no longer exists.
		await expect(readFile(join(data, "parley.config.json"))).rejects.toThrow("ENOENT");
		// The other approval is still open and can be answered.
		expect(await client.call("list_prompts", {})).toMatchObject({ prompts: [{ token: open.token }] });
		await expect(readFile(join(root, "approved.txt"))).rejects.toThrow("ENOENT");
		await client.call("prompt_response", { token: open.token, value: true });
		await client.event("assistant.message");
		expect(await readFile(join(root, "approved.txt"), "utf8")).toBe("ran\n");
	},
	paced(60_000),
);

test(
	"without a sandbox, the same connection approves a call, so that the other test can fail",
	async () => {
		await using started = await start("off");
		const { gateway, root, data } = started;
		await writeScript(root, [approvalLines(gateway.port, data)]);
		await using client = await OzzieClient.connect(`http://127.0.0.1:${gateway.port}`);
		const open = await openApproval(client);
		const { answer } = await runScript(gateway.port, open);
		expect(answer).toContain("won approval");
		await client.event("assistant.message");
		expect(await client.call("list_prompts", {})).toMatchObject({ prompts: [] });
		expect(await readFile(join(root, "approved.txt"), "utf8")).toBe("ran\n");
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
