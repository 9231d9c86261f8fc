import type { OutgoingHttpHeaders } from "node:http2";
import { deflateSync, gzipSync } from "node:zlib";
import { frameCommand } from "../conformance/drivers/kontekst-client.ts";
import { frameRozRequest, frameTeamRequest, structOf } from "../conformance/drivers/roz-client.ts";
import type { Random } from "../random.ts";
import { damageBytes } from "./byte-mutation.ts";

export interface GrpcAttack {
	readonly kind: string;
	readonly headers: OutgoingHttpHeaders;
	readonly body: Buffer;
	readonly messages: number;
}

const common = { ":method": "POST", "content-type": "application/grpc", te: "trailers" };

interface Target {
	readonly path: string;
	/** Messages with their five-byte prefix. */
	readonly commands: readonly Buffer[];
	/** Messages without the prefix. */
	readonly bodies: readonly Buffer[];
}

function target(path: string, commands: readonly Buffer[]): Target {
	return { path, commands, bodies: commands.map((framed) => framed.subarray(5)) };
}

const schema = structOf({ type: "object", properties: { at: { enum: ["a", 1, null, true] } } });
const tool = { name: "look", description: "Looks", parametersSchema: schema, timeoutMs: 5, category: 2 };
const ping = { text: { text: "hi" } };

/**
 * One message of each kind; `frame-kinds.test.ts` compares the kinds with the `.proto` file. `start` has no prompt and
 * an unknown agent, so that mutations do not start a run.
 */
export const kontekstCommands = {
	start: { sessionId: "sess_not_an_id", agentName: "unknown", workingDir: "/nowhere" },
	approveTool: { callId: "call_1" },
	denyTool: { callId: "call_2", reason: "because" },
	cancel: {},
};

/**
 * One roz message of each kind. The agent and the model are unknown and the context window is too small, so that
 * mutations rarely create a session.
 */
export const rozRequests = {
	start: {
		environmentId: "unknown",
		model: "unknown",
		hostId: "host",
		maxContextTokens: 10,
		tools: [tool],
		projectContext: ["Plant in rows."],
		history: [{ role: "user", parts: [ping, { toolResult: { toolUseId: "c1", content: "x" } }] }],
	},
	userMessage: {
		content: "hi",
		aiMode: "react",
		messageId: "m1",
		systemContext: "Be short.",
		tools: [tool],
		context: [{ label: "file", binary: { mimeType: "image/png", data: Buffer.alloc(9) } }],
	},
	toolResult: { toolCallId: "c1", success: true, result: "x", exitCode: 1, durationMs: 2 },
	permissionDecision: { toolCallId: "c1", approved: true, modifier: structOf({ at: [1] }) },
	registerTools: { source: "sim", tools: [tool], systemContext: "Look." },
	feedback: { sessionId: "s", messageId: "m", rating: "up" },
	cancelTurn: { reason: "r" },
	cancelSession: { reason: "r" },
	ping: {},
};

function single(messages: Readonly<Record<string, object>>): Record<string, object>[] {
	return Object.entries(messages).map(([kind, message]) => ({ [kind]: message }));
}

const targets: readonly Target[] = [
	target("/kontekst.AgentService/Run", single(kontekstCommands).map(frameCommand)),
	target("/roz.v1.AgentService/StreamSession", single(rozRequests).map(frameRozRequest)),
	target("/roz.v1.AgentService/WatchTeam", ["task_unknown", "../task", ""].map(frameTeamRequest)),
];

/** Unusual Protobuf messages, most of them invalid: https://protobuf.dev/programming-guides/encoding/ */
const oddMessages = [
	Buffer.alloc(0),
	Buffer.from([0x00]),
	Buffer.from([0x07]),
	// In this order: a length of 4 GiB, an endless varint, 2,000 nested groups without an end, and the field numbers 0
	// and 2^29.
	Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]),
	Buffer.alloc(64, 0xff),
	Buffer.alloc(2_000, 0x0b),
	Buffer.from([0x02, 0x00]),
	Buffer.from([0x80, 0x80, 0x80, 0x80, 0x10, 0x00]),
	// A string with invalid UTF-8.
	Buffer.from([0x0a, 0x04, 0x0a, 0x02, 0xc3, 0x28]),
];

function frame(message: Buffer, flags = 0, length = message.length): Buffer {
	const head = Buffer.from([flags, 0, 0, 0, 0]);
	head.writeUInt32BE(length, 1);
	return Buffer.concat([head, message]);
}

type Maker = (
	random: Random,
	target: Target,
) => Pick<GrpcAttack, "body" | "messages"> & { readonly headers?: OutgoingHttpHeaders };

function several(random: Random, make: () => Buffer): Pick<GrpcAttack, "body" | "messages"> {
	const messages = Array.from({ length: random.between(1, 8) }, make);
	return { body: Buffer.concat(messages), messages: messages.length };
}

/** Returns a random length of up to about twice the actual length, or of up to 4 GiB. */
function randomLength(random: Random, length: number): number {
	return random.chance(0.5) ? random.below(2 * length + 2) : random.below(2 ** 32);
}

const timeouts = ["-1S", "1", "99999999999H", "0n", "S", "1u", "\u00ff1S"];
const encodings = ["gzip", "deflate", "br", "snappy", "identity, gzip"];

const makers: Readonly<Record<string, Maker>> = {
	"damaged messages": (random, { bodies }) => several(random, () => frame(damageBytes(random, bodies))),
	"odd messages": (random) => several(random, () => frame(random.pick(oddMessages))),
	"damaged frames": (random, { commands }) => several(random, () => damageBytes(random, commands)),
	"lying lengths": (random, { bodies }) => ({
		...one(frame(random.pick(bodies), 0, randomLength(random, 40))),
	}),
	flags: (random, { bodies }) => several(random, () => frame(random.pick(bodies), random.between(1, 255))),
	compression: (random, { bodies }) => {
		const compressed = random.pick([gzipSync, deflateSync])(random.pick(bodies));
		const body = random.chance(0.5) ? compressed : damageBytes(random, [compressed]);
		return { ...one(frame(body, 1)), headers: { "grpc-encoding": random.pick(encodings) } };
	},
	timeouts: (random, { commands }) => ({
		...one(random.pick(commands)),
		headers: { "grpc-timeout": random.pick(timeouts) },
	}),
	paths: (random, { commands }) => {
		const paths = [
			"/",
			"/kontekst.AgentService/Fly",
			"/kontekst.Agent",
			"/%00/Run",
			"/roz.v1.AgentService/Fly",
			"*",
			"/a/b/c?d#e",
		];
		return { ...one(random.pick(commands)), headers: { ":path": random.pick(paths) } };
	},
	types: (random, { commands }) => {
		const types = ["application/json", "", "application/grpc+json", "application/grpc-web", "text/html"];
		return { ...one(random.pick(commands)), headers: { "content-type": random.pick(types) } };
	},
	"no message": () => ({
		body: Buffer.alloc(0),
		messages: 1,
		headers: { ":path": "/kontekst.DaemonService/GetStatus" },
	}),
};

function one(body: Buffer): Pick<GrpcAttack, "body" | "messages"> {
	return { body, messages: 1 };
}

const kinds = Object.keys(makers);
/** Kinds of attacks to choose from. The first three kinds occur four times each, which makes them more likely. */
const weighted = [...kinds, ...kinds.slice(0, 3), ...kinds.slice(0, 3), ...kinds.slice(0, 3)];

export function makeGrpcAttack(random: Random): GrpcAttack {
	const kind = random.pick(weighted);
	const target = random.pick(targets);
	const attack = makers[kind]?.(random, target);
	if (!attack) throw new Error(`no maker of ${kind}`);
	return {
		kind,
		body: attack.body,
		messages: attack.messages,
		headers: { ...common, ":path": target.path, ...attack.headers },
	};
}
