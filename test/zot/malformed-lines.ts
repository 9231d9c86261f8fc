import type { ZotCommandType } from "@parley/gateway/rpc";
import { damageBytes } from "../fuzz/byte-mutation.ts";
import { type Json, oddValue } from "../fuzz/odd-values.ts";
import type { Random } from "../random.ts";

/** Kind of a value. With a `harmless` text, the offline model calls no tool. */
type Kind = "text" | "harmless" | "flag" | "level" | "pictures" | "name";

/** Fields of each command. The compiler reports commands without an entry. */
const grammar: Readonly<Record<ZotCommandType, Readonly<Record<string, Kind>>>> = {
	hello: { token: "text" },
	prompt: { message: "harmless", images: "pictures" },
	abort: {},
	compact: {},
	get_state: {},
	get_messages: {},
	clear: {},
	set_model: { model: "text" },
	set_reasoning: { reasoning: "level" },
	get_models: {},
	ping: {},
	queue: {},
	cancel_queued: { request_id: "name" },
	approve: { ask: "text", allow: "flag", reason: "text", remember_tool: "flag", remember_all: "flag" },
};
// The cast is safe because the keys of `grammar` are exactly these types.
const types = Object.keys(grammar) as ZotCommandType[];

const png = '[{"mime_type":"image/png","data":"iVBORw0KGgo="}]';

function fitting(kind: Kind, random: Random): Json {
	switch (kind) {
		case "text":
			return JSON.stringify(`s${random.below(1_000)}`);
		case "harmless":
			return JSON.stringify(random.pick(["say: hello", "think: well\nsay: hello", "nothing to carry out"]));
		case "flag":
			return random.pick(["true", "false"]);
		case "level":
			return JSON.stringify(random.pick(["off", "low", "high", "MAX", "minimum"]));
		case "pictures":
			return random.pick([png, "[]"]);
		case "name":
			return random.pick(['"g-1"', "7"]);
	}
}

type Fields = [name: string, value: Json][];

function grow(type: ZotCommandType, random: Random): Fields {
	const fields = Object.entries(grammar[type]);
	return [
		["type", JSON.stringify(type)],
		["id", random.pick([`"g-${random.below(1_000)}"`, String(random.below(1_000)), "null"])],
		...fields.map(([name, kind]): [string, Json] => [name, fitting(kind, random)]),
	];
}

function damageField(fields: Fields, random: Random): void {
	const at = random.below(fields.length);
	const [name] = fields[at] ?? ["stranger"];
	const kind = random.below(10);
	if (kind < 7) fields[at] = [name, oddValue(random)];
	else if (kind < 9) fields.splice(at, 1);
	else fields.push([random.pick([name, "extra", "", "TYPE"]), oddValue(random)]);
}

function write(fields: Fields): Json {
	return `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`;
}

const valid = types.flatMap((type) => {
	const fields = { message: "say: Größe ✓ 日本語", model: "offline", allow: true, request_id: "g-1" };
	return [{ type }, { type, id: "v-1", ...fields }, { ...fields, type, id: 7, token: "t" }].map((command) =>
		Buffer.from(JSON.stringify(command)),
	);
});

/** Generators of lines. Most lines are invalid. */
const families: Readonly<Record<string, (random: Random) => string | Buffer>> = {
	bytes: (random) => damageBytes(random, valid),
	grammar: (random) => {
		const fields = grow(random.pick(types), random);
		for (let rounds = random.between(1, 3); rounds > 0 && fields.length > 0; rounds--)
			damageField(fields, random);
		return write(random.chance(0.3) ? random.shuffle(fields) : fields);
	},
	state: (random) =>
		random.pick([
			...['{"type":"clear"}', '{"type":"set_model","model":"offline"}', '{"type":"compact","id":"c"}'],
			...['{"type":"set_model","model":"nobody"}', '{"type":"set_reasoning","reasoning":"low"}'],
			...['{"type":"abort"}', '{"type":"queue"}', '{"type":"hello","token":"wrong"}'],
			...['{"type":"cancel_queued","request_id":"p"}', '{"type":"cancel_queued","request_id":"nobody"}'],
			...['{"type":"approve","ask":"ask-1","allow":true}', '{"type":"approve","id":"ask-1","allow":false}'],
			...['{"type":"prompt","id":"p","message":"say: hello"}', '{"type":"prompt","message":" "}'],
			...['{"type":"get_messages","id":"m"}', `{"type":"prompt","images":${png},"message":"say: x"}`],
		]),
	no_json: (random) => (random.chance(0.5) ? oddValue(random) : `${oddValue(random)}${oddValue(random)}`),
};
export const familyNames = Object.keys(families);

/** Returns one nonblank line. Line feeds become spaces. */
export function malformedLine(family: string, random: Random): Buffer {
	for (;;) {
		const content = families[family]?.(random) ?? "";
		const line = Buffer.from(content).map((byte) => (byte === 0x0a ? 0x20 : byte));
		const text = Buffer.from(line).toString("utf8");
		if (text.trim() !== "") return Buffer.from(line);
	}
}
