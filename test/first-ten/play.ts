import { basename } from "node:path";
import type { FreshMachine } from "./fresh-machine.ts";

/** Limits from an empty machine to an answered message about the user's own project. */
export const limits = { seconds: 90, commands: 3 } as const;

/**
 * Maximum milliseconds of a step, far above the limit, so that a slow machine reports its time instead of an
 * error.
 */
const patience = 300_000;

const prompt = "$ ";

/** One input of a new user, with the seconds until its result is visible. */
export interface Step {
	/** A `command` is a line in the shell. The other kinds are keys and messages in Parley. */
	readonly kind: "command" | "answer" | "message";
	readonly text: string;
	readonly seconds: number;
}

/** All steps, and the seconds from the first key press to the answer. */
export interface Play {
	readonly steps: readonly Step[];
	readonly seconds: number;
}

/** Plays the first ten minutes of a new user with this package and the offline model. Returns the steps. */
export async function playFirstTen(machine: FreshMachine, tarball: string): Promise<Play> {
	const screen = machine.shell();
	const steps: Step[] = [];
	await screen.until("the shell is ready", () => screen.typed === prompt);
	const start = performance.now();
	let began = start;
	const step = async (kind: Step["kind"], text: string, result: string): Promise<void> => {
		await (text === "" ? screen.type("\r") : screen.enter(text));
		await screen.until(
			`"${result}" or a prompt follows "${text}"`,
			() => screen.text.includes(result) || screen.typed === prompt,
			patience,
		);
		if (!screen.text.includes(result)) throw new Error(`"${text}" failed:\n${screen.text}`);
		if (kind === "command" && text !== "parley")
			await screen.until("the shell is ready again", () => screen.typed === prompt);
		const end = performance.now();
		steps.push({ kind, text: text === "" ? "Enter" : text, seconds: (end - began) / 1000 });
		began = end;
	};
	await step("command", `npm install --global --prefix ~/.local ./${basename(tarball)}`, "added ");
	await step("command", "cd shop", "$ cd shop\n");
	await step("command", "parley", "May agents work in");
	await step("answer", "", "session sess_");
	await screen.rests("session sess_");
	await step("message", "read: notes.txt", "read_file returned:");
	await screen.rests("buy milk");
	return { steps, seconds: (performance.now() - start) / 1000 };
}

export function report({ steps, seconds }: Play): { readonly rows: string[]; readonly isWithin: boolean } {
	const commands = steps.filter(({ kind }) => kind === "command").length;
	const row = (time: number, kind: string, text: string): string =>
		`${time.toFixed(1).padStart(6)} s  ${kind.padEnd(8)}${text}`;
	return {
		rows: [
			...steps.map((step) => row(step.seconds, step.kind, step.text)),
			row(
				seconds,
				"in all",
				`${commands} commands; allowed: ${limits.seconds} s, ${limits.commands} commands`,
			),
		],
		isWithin: seconds <= limits.seconds && commands <= limits.commands,
	};
}
