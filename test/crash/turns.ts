import type { Random } from "../random.ts";

/** Work that a message requests from the offline model. */
export interface Turn {
	readonly content: string;
	readonly effects: readonly string[];
}

/** Kinds of turns. A `gated` command runs until the test writes a line into the pipe `gate`. */
export const turnKinds = ["say", "long", "run", "pair", "sequence", "write", "gated"] as const;
export type TurnKind = (typeof turnKinds)[number];

/** File in the root directory that records the effects of commands. */
export const effectsFile = "effects.log";
/** Pipe in the root directory that gated commands read. */
export const gatePipe = "gate";

export function makeTurn(kind: TurnKind, id: string): Turn {
	const { commands, effects } = makers[kind](id);
	return { content: [...commands, `say: ${id} done`].join("\n"), effects };
}

/** Returns a random kind of turn, but never `gated`. */
export function anyKind(random: Random): TurnKind {
	return random.pick(["say", "long", "run", "run", "pair", "sequence", "write"] as const);
}

const makers: Record<TurnKind, (id: string) => { commands: string[]; effects: string[] }> = {
	say: () => ({ commands: [], effects: [] }),
	long: () => ({ commands: ["long: 40 tokens at 200 per second"], effects: [] }),
	run: (id) => ({ commands: [`run: ${leave(id)}`], effects: [id] }),
	pair: (id) => ({
		commands: [`run: ${leave(`${id}-a`)}`, `& run: ${leave(`${id}-b`)}`],
		effects: [`${id}-a`, `${id}-b`],
	}),
	sequence: (id) => ({
		commands: [`run: ${leave(`${id}-a`)}`, "say: in between", `run: ${leave(`${id}-b`)}`],
		effects: [`${id}-a`, `${id}-b`],
	}),
	write: (id) => ({ commands: [`write: ${id}.db <<< ${id}`], effects: [id] }),
	gated: (id) => ({ commands: [`run: ${leave(id)}; read line < ${gatePipe}`], effects: [id] }),
};

function leave(effect: string): string {
	return `echo ${effect} >> ${effectsFile}`;
}
