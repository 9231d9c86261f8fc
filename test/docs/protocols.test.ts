import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readScenes, type Scene } from "./examples.ts";
import { play } from "./play.ts";
import { kontekstWire, playGrpc, rozWire } from "./play-grpc.ts";
import { playZot } from "./play-zot.ts";

const document = readFileSync(new URL("../../docs/protocols/README.md", import.meta.url), "utf8");
const scenes = new Map(readScenes(document).map((scene) => [scene.heading, scene]));
const players: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
	Ozzie: play,
	zot: playZot,
	roz: (scene) => playGrpc(scene, rozWire),
	kontekst: (scene) => playGrpc(scene, kontekstWire),
};

/** Rows of the table. The first row contains the names of the protocols. */
const [head = [], , ...steps] = document
	.split("\n")
	.filter((line) => line.startsWith("|"))
	.map((line) =>
		line
			.split("|")
			.slice(1, -1)
			.map((cell) => cell.trim()),
	);

function nameOf(frame: Readonly<Record<string, unknown>>): string {
	const { method, event, type } = frame;
	return String(method ?? event ?? type ?? Object.keys(frame)[0]);
}

test("each protocol has a conversation and a column", () => {
	expect([...scenes.keys()]).toEqual(Object.keys(players));
	expect(head).toEqual(["step", ...Object.keys(players)]);
});

test.each(Object.entries(players))("the conversation of %s is as shown", async (name, player) => {
	const scene = scenes.get(name);
	if (!scene) throw new Error(`the page has no conversation of ${name}`);
	await player(scene);
});

test.each(Object.keys(players))(
	"the column of %s has the frames of its conversation in their order",
	(name) => {
		const shown = scenes
			.get(name)
			?.steps.flatMap((step) => (step.kind === "frame" ? [nameOf(step.value)] : []));
		const column = steps.map((row) => row[head.indexOf(name)] ?? "");
		const named = column.flatMap((cell) => (/^`(.*)`$/.exec(cell) ?? []).slice(1));
		let at = -1;
		const inOrder = named.filter((frame) => {
			at = shown?.indexOf(frame, at + 1) ?? -1;
			return at >= 0;
		});
		expect(named.length).toBeGreaterThan(4);
		expect(JSON.stringify(scenes.get(name))).toContain("write: notes.txt <<< buy milk");
		expect(inOrder).toEqual(named);
	},
);
