import { gzipSync } from "node:zlib";
import { type Attack, answer, beginningOf, pour, streamOf } from "./hostile-server.ts";

const MIB = 1 << 20;
const HUNDRED_MIB = 100 * MIB;
const SECONDS_OF_A_YEAR = 365 * 24 * 60 * 60;

const events = { "content-type": "text/event-stream" };

const endless =
	(
		piece: (scene: Parameters<Attack>[0]) => string,
		beginning: (scene: Parameters<Attack>[0]) => string = () => "",
	): Attack =>
	(scene) => {
		scene.response.writeHead(200, events);
		scene.response.write(beginning(scene));
		const bytes = Buffer.from(piece(scene));
		return pour(scene.response, () => bytes);
	};

/** Returns an attack whose body has more than 100 MiB. */
const large =
	(status: number, type: string, beginning: string): Attack =>
	({ response }) => {
		response.writeHead(status, { "content-type": type });
		response.write(beginning);
		const piece = Buffer.alloc(MIB, '"x",');
		let rest = HUNDRED_MIB / MIB;
		return pour(response, () => {
			if (rest-- === 0) response.end();
			return piece;
		});
	};

const garbage: Attack = ({ response, random }) => {
	const bytes = Buffer.alloc(64 << 10);
	for (let index = 0; index < bytes.length; index++) bytes[index] = random.between(0, 255);
	response.writeHead(200, events);
	response.end(bytes);
};

const garbageData: Attack = ({ response, random }) => {
	const words = [
		"[",
		"{",
		'"',
		"null",
		"1e999",
		"NaN",
		'{"choices":',
		'{"type":',
		'{"candidates":',
		"\u0000",
		"\ud800",
	];
	const lines = Array.from({ length: 500 }, () => `data: ${random.pick(words)}${random.pick(words)}\n\n`);
	answer(response, lines.join(""));
};

/** Returns an attack with this number in all token counts. The number may be invalid JSON. */
const usageOf =
	(number: string): Attack =>
	({ response, wire }) => {
		const stream = streamOf(wire, { content: [{ type: "text", text: "Hm." }] });
		answer(response, stream.replaceAll(/((?:[tT]okens?|TokenCount)":)\d+/g, `$1${number}`));
	};

const cut = (json: string): string[] => json.match(/.{1,65536}/gs) ?? [];

const call =
	(json: string): Attack =>
	({ response, wire }) =>
		answer(response, streamOf(wire, { content: [{ type: "tool_use", id: "c1", name: "look", json }], cut }));

const manyCalls: Attack = ({ response, wire }) => {
	const content = Array.from({ length: 5_000 }, (_, index) => ({
		...({ type: "tool_use", id: `c${index}`, name: "look", input: { at: "door" } } as const),
	}));
	answer(response, streamOf(wire, { content }));
};

export interface AttackRow {
	readonly name: string;
	readonly attack: Attack;
	/** Whether only the first response is an attack. The run then continues with the second response. */
	readonly once?: true;
	/** Number of seeds for an attack with random parts. If undefined, the attack runs once. */
	readonly seeds?: number;
	/** Expected error of the run. If undefined, the run may succeed. */
	readonly error?: RegExp;
}

const text = (length: number) => ({ type: "text", text: "x".repeat(length) }) as const;

export const attacks: readonly AttackRow[] = [
	{
		name: "endless text",
		attack: endless(({ wire }) => beginningOf(wire, text(64 << 10))),
		error: /the reply is longer than the maximum of 2097152 characters/,
	},
	{
		name: "endless thinking",
		attack: endless(({ wire }) => beginningOf(wire, { type: "thinking", thinking: "x".repeat(64 << 10) })),
		error: /the thinking is longer than the maximum of 8388608 characters/,
	},
	{
		name: "endless comments",
		attack: endless(() => `: ${"x".repeat(1000)}\n\n`.repeat(60)),
		error: /larger than 64 MiB/,
	},
	{
		name: "an endless line",
		attack: endless(
			() => "x".repeat(64 << 10),
			() => "data: ",
		),
		error: /larger than 8 MiB/,
	},
	{
		name: "endless arguments of a call",
		attack: endless(
			() => "x".repeat(64 << 10),
			({ wire }) => beginningOf(wire, { type: "tool_use", id: "c1", name: "look", json: '{"at":"' }),
		),
		error: /larger than|is not valid/,
	},
	{
		name: "100 MiB of JSON in an event",
		attack: large(200, "text/event-stream", "data: ["),
		error: /larger than 8 MiB/,
	},
	{ name: "100 MiB of JSON", attack: large(200, "application/json", "["), error: /does not answer like a/ },
	{
		name: "100 MiB of an error",
		attack: large(400, "application/json", '{"error":["'),
		error: /refused the request \(400\)/,
	},
	{
		name: "a compressed body of 100 MiB",
		attack: ({ response }) => {
			response.writeHead(200, { ...events, "content-encoding": "gzip" });
			response.end(gzipSync(Buffer.alloc(HUNDRED_MIB, "x")));
		},
		error: /larger than/,
	},
	{ name: "bytes without a meaning", attack: garbage, seeds: 5, error: /ended before|is not valid|empty/ },
	{ name: "events without a meaning", attack: garbageData, seeds: 10, error: /./ },
	{
		name: "a page",
		attack: ({ response }) =>
			response.writeHead(200, { "content-type": "text/html" }).end("<html>Log in</html>"),
		error: /does not answer like a .*: check the base URL/,
	},
	{
		name: "no content type",
		attack: ({ response }) => response.writeHead(200).end("hello"),
		error: /ended before|is not valid|empty/,
	},
	...[301, 302, 303, 307, 308].map((status) => ({
		name: `a redirect ${status} to a private address`,
		attack: ({ response, secret }: Parameters<Attack>[0]) =>
			response.writeHead(status, { location: `${secret}/latest/meta-data` }).end(),
		error: /redirect \(30\d\), which is not followed/,
	})),
	{
		name: "a wait of a year",
		attack: ({ response }) => response.writeHead(429, { "retry-after": String(SECONDS_OF_A_YEAR) }).end(),
		error: /rate limit/,
	},
	{
		name: "a wait until the year 9999",
		attack: ({ response }) =>
			response.writeHead(503, { "retry-after": "Fri, 31 Dec 9999 23:59:59 GMT" }).end(),
		error: /503/,
	},
	{
		name: "a call with 1,000,000 arguments",
		attack: call(`{${Array.from({ length: 1_000_000 }, (_, index) => `"${index.toString(36)}":0`).join()}}`),
		once: true,
	},
	{ name: "a call with a list of 1,000,000", attack: call(`{"at":[${"0,".repeat(999_999)}0]}`), once: true },
	{
		name: "a call with 100,000 levels",
		attack: call(`{"at":${"[".repeat(100_000)}${"]".repeat(100_000)}}`),
		once: true,
	},
	{
		name: "a call with __proto__",
		attack: call('{"at":"door","__proto__":{"polluted":1},"constructor":{}}'),
		once: true,
	},
	{ name: "5,000 calls", attack: manyCalls, error: /the reply has more than the maximum of 1000 tool calls/ },
	...["NaN", "-5", "1e999", '"many"', "null", "99999999999999999999"].map((number) => ({
		name: `usage of ${number}`,
		attack: usageOf(number),
		once: true as const,
	})),
];
