import { expect } from "vitest";
import { only, ZotClient } from "./drivers/zot-client.ts";
import { verifiesOn } from "./verifies.ts";

const mebibyte = 1024 * 1024;
const maximum = 16 * mebibyte;

verifiesOn(
	"zot",
	["zot.id", "zot.id-number", "zot.in-flight", "zot.response", "zot.line-frames", "zot.ping"],
	"each command is answered once, in its order, under the id that it had",
	async () => {
		await using agent = await ZotClient.start();
		const ids = ["a", "A", "a", "0", "ü€😀", " ", 'q"\\\n', 7, 0, -1.5, Number.MAX_SAFE_INTEGER];
		agent.send(...ids.map((id) => ({ id, type: "ping" })));
		const none = ["", null, "\0", "\0\0"];
		agent.send({ type: "ping" }, ...none.map((id) => ({ id, type: "ping" })));
		expect(await agent.end()).toEqual({ code: 0, signal: null });
		const pong = { type: "response", command: "ping", success: true, data: { pong: true } };
		expect(agent.frames).toEqual([...ids.map((id) => ({ ...pong, id })), pong, ...none.map(() => pong)]);
	},
);

verifiesOn(
	"zot",
	["zot.malformed", "zot.unknown-command", "zot.id-wrong", "zot.fields", "zot.line"],
	"a line that is not a command has one error and no effect, and the process continues",
	async () => {
		await using agent = await ZotClient.start();
		const malformed = [
			...["x", "{", "[]", "[{}]", '"ping"', "1", "null", "true", "{}{}", '{"type":"ping"', "{type:1}"],
			...['{"type":"ping"} {"type":"ping"}', '{"type":"ping",}', '{"__proto__":{"type":"ping"}}'],
			`${"[".repeat(100)}${"]".repeat(100)}`,
			'\u0000{"type":"ping"}',
			'\u001e{"type":"ping"}',
		];
		const refused: readonly (readonly [string, object])[] = [
			['{"type":"nope","id":"n1"}', { id: "n1", command: "nope", error: "unknown command" }],
			['{"type":"Ping","id":"n2"}', { id: "n2", command: "Ping", error: "unknown command" }],
			['{"type":"","id":"n3"}', { id: "n3", command: "", error: "unknown command" }],
			['{"type":"toString"}', { command: "toString", error: "unknown command" }],
			['{"type":"__proto__"}', { command: "__proto__", error: "unknown command" }],
			['{"type":"response","id":"n4"}', { id: "n4", command: "response", error: "unknown command" }],
			['{"id":"i1"}', { id: "i1", command: "", error: expect.stringMatching(/^type: /) }],
			['{"type":1,"id":2}', { id: 2, command: "", error: expect.stringMatching(/^type: /) }],
			['{"type":"ping","id":true}', { command: "ping", error: expect.stringMatching(/^id: /) }],
			['{"type":"ping","id":{}}', { command: "ping", error: expect.stringMatching(/^id: /) }],
			['{"type":"ping","id":["a"]}', { command: "ping", error: expect.stringMatching(/^id: /) }],
			['{"type":"prompt","id":"f1","message":1}', field("f1", "prompt", /^message: /)],
			['{"type":"prompt","id":"f2","message":"a","images":{}}', field("f2", "prompt", /^images: /)],
			[
				'{"type":"prompt","id":"f3","message":"a","images":[{"mime_type":"image/png","data":"?"}]}',
				field("f3", "prompt", /^images\[0\]\.data: /),
			],
			[
				'{"type":"prompt","id":"f4","message":"a","images":[{"mime_type":"text/html","data":"aGk="}]}',
				field("f4", "prompt", /^images\[0\]\.mime_type: /),
			],
			['{"type":"set_model","id":"f5"}', field("f5", "set_model", /^model: /)],
			['{"type":"set_model","id":"f6","model":5}', field("f6", "set_model", /^model: /)],
			['{"type":"set_reasoning","id":"f7","reasoning":"much"}', field("f7", "set_reasoning", /^reasoning: /)],
			['{"type":"cancel_queued","id":"f8"}', field("f8", "cancel_queued", /^request_id: /)],
			['{"type":"approve","id":"f9","allow":"yes"}', field("f9", "approve", /^allow: /)],
		];
		for (const line of [...malformed, ...refused.map(([text]) => text)]) agent.write(`${line}\n`);
		agent.write(Buffer.from([0x7b, 0xff, 0xfe, 0x7d, 0x0a]));
		const state = await agent.data({ id: "s", type: "get_state" });
		expect(state).toMatchObject({ busy: false, message_count: 0, model: "offline" });
		const failure = { type: "response", success: false };
		const responses = only(agent.frames, "response");
		expect(responses.slice(0, malformed.length)).toEqual(
			malformed.map(() => ({ ...failure, command: "", error: expect.stringMatching(/^malformed json: /) })),
		);
		expect(responses.slice(malformed.length, -2)).toEqual(
			refused.map(([, received]) => ({ ...failure, ...received })),
		);
		expect(responses.at(-2)).toEqual({
			...failure,
			command: "",
			error: expect.stringContaining("not UTF-8"),
		});
		expect(await agent.end()).toEqual({ code: 0, signal: null });
		expect(agent.stderr).toBe("");
	},
);

function field(id: string, command: string, error: RegExp): object {
	return { id, command, error: expect.stringMatching(error) };
}

verifiesOn(
	"zot",
	["zot.blank", "zot.crlf", "zot.last-line", "zot.cut-anywhere", "zot.unknown-keys"],
	"lines may have any line end, and be split anywhere",
	async () => {
		await using agent = await ZotClient.start();
		agent.write('\n\r\n \n\t\n{"id":"1","type":"ping"}\r\n  {"type":"ping","id":"2","more":[1]}  \n\n');
		const line = Buffer.from('{"id":"3 ü😀","type":"ping","never":{"heard":"of"}}\n');
		for (const byte of line) {
			agent.write(Uint8Array.of(byte));
			// Yields to the event loop. Otherwise several bytes could form one chunk.
			await new Promise<void>((resolve) => setImmediate(resolve));
		}
		expect(await agent.response("3 ü😀")).toMatchObject({ success: true });
		expect(await agent.end('{"id":"4","type":"get_messages"}')).toEqual({ code: 0, signal: null });
		expect(only(agent.frames, "response").map(({ id }) => id)).toEqual(["1", "2", "3 ü😀", "4"]);
		expect(agent.lines.at(-1)).toContain('"messages":[]');
	},
);

verifiesOn(
	"zot",
	["zot.oversized"],
	"a line that is too long is skipped, and the longest that is not is read",
	async () => {
		await using agent = await ZotClient.start();
		const padded = (id: string, bytes: number): string => {
			const head = `{"id":"${id}","type":"ping","pad":"`;
			return `${head}${"x".repeat(bytes - head.length - 2)}"}\n`;
		};
		agent.write(padded("fits", maximum));
		expect(await agent.response("fits")).toMatchObject({ success: true });
		agent.write(padded("long", maximum + 1));
		agent.write(padded("longer", 20 * mebibyte));
		agent.send({ id: "after", type: "ping" });
		expect(await agent.response("after")).toMatchObject({ success: true });
		const skipped = { type: "response", command: "", success: false };
		expect(agent.frames.slice(1, -1)).toEqual([
			{ ...skipped, error: expect.stringContaining("longer than 16 MiB") },
			{ ...skipped, error: expect.stringContaining("longer than 16 MiB") },
		]);
		expect(await agent.end()).toEqual({ code: 0, signal: null });
	},
);

verifiesOn(
	"zot",
	["zot.response-order", "zot.state-busy", "zot.hello", "zot.hello-any-time", "zot.version", "zot.state"],
	"commands during a prompt are answered immediately and in order",
	async () => {
		await using agent = await ZotClient.start();
		agent.send({ id: "p", type: "prompt", message: "long: 1000000 tokens at 20 per second" });
		await agent.until("text_delta");
		const commands = ["get_state", "ping", "hello", "get_messages", "queue", "get_models", "ping", "hello"];
		agent.send(...commands.map((type, at) => ({ id: at, type, token: "any" })));
		await agent.response(commands.length - 1);
		const answers = only(agent.frames, "response").slice(1);
		expect(answers.map(({ command, id }) => [command, id])).toEqual(commands.map((type, at) => [type, at]));
		expect(only(agent.frames, "done")).toEqual([]);
		expect(answers[2]).toMatchObject({
			data: { protocol_version: 1, version: expect.any(String), provider: "offline", model: "offline" },
		});
		expect(answers[0]).toMatchObject({
			data: {
				...{ provider: "offline", model: "offline", cwd: agent.path("work"), busy: true },
				usage: { input: 0, output: 0, cache_read: 0, cache_write: 0, cost_usd: 0 },
			},
		});
		await agent.data({ id: "a", type: "abort" });
		await agent.turn();
		expect(await agent.data({ id: "s", type: "get_state" })).toMatchObject({ busy: false, message_count: 2 });
		expect(await agent.end()).toEqual({ code: 0, signal: null });
	},
);
