import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { attempt, type Notebook } from "./notebook.ts";
import { has, parley, shownPosts, textOfPost } from "./shown-posts.ts";
import type { Expectation } from "./step.ts";

type OfRoom = Extract<
	Expectation,
	{ shows: unknown } | { showsOnly: unknown } | { hides: unknown } | { notes: unknown }
>;

/**
 * Waits until the expectation is met, or checks it when all work is complete. Rejects with a description of the
 * current state if the expectation is not met.
 */
export async function checkExpectation(notebook: Notebook, step: Expectation): Promise<void> {
	const { played, interaction } = notebook;
	if ("answered" in step) {
		await wait(
			notebook,
			() => answers(notebook),
			(all) => all.some((text) => has(text, played.site.platformForm(step.answered))),
		);
	} else if ("answeredNothing" in step) {
		await played.settle();
		const answered = answers(notebook);
		if (interaction?.failed || answered.length > 0)
			throw new Error(`it was ${interaction?.state}: ${answered.join()}`);
	} else if ("form" in step) {
		const form = () => [
			interaction?.form?.title ?? "",
			...(interaction?.form?.fields ?? []).map(({ label }) => label),
		];
		await wait(notebook, form, (lines) => has(lines.join("\n"), step.form));
	} else if ("notified" in step) await notified(notebook, step.notified);
	else if ("typing" in step) {
		const room = played.site.room(step.in ?? "general", played.site.people.Mia);
		await wait(
			notebook,
			() => room.typing(),
			(names) => names.includes(parley) === step.typing,
		);
	} else if ("stuck" in step) await stuck(notebook, step.stuck);
	else if ("file" in step) {
		await played.settle();
		const content = await readFile(join(played.site.directory, step.file), "utf8").catch(() => null);
		if (!isDeepStrictEqual(content, step.has)) throw new Error(`it holds ${JSON.stringify(content)}`);
	} else await see(notebook, step);
}

async function see(notebook: Notebook, step: OfRoom): Promise<void> {
	const { played } = notebook;
	const { people } = played.site;
	const viewer = step.to && people[step.to];
	const seen = (): string[] => {
		const room = attempt(() => played.site.room(step.in ?? "general", viewer ?? people.Mia));
		// A private post is in the room or in the viewer's direct messages.
		const direct = viewer && step.in === undefined ? played.site.directOf?.(viewer.id) : undefined;
		return [
			...(room ? shownPosts(played.site, room, viewer) : []),
			...(direct ? shownPosts(played.site, direct) : []),
		];
	};
	if ("notes" in step) {
		await wait(notebook, seen, (posts) => posts.some((text) => step.notes.test(text)));
		const captures = seen().map((text) => step.notes.exec(text)?.[1]);
		notebook.noted = captures.findLast((text) => text !== undefined) ?? "";
		return;
	}
	if ("shows" in step) {
		const { times } = step;
		const shows = played.site.platformForm(step.shows);
		const count = (posts: readonly string[]) => posts.filter((text) => has(text, shows)).length;
		await wait(notebook, seen, (posts) => (times === undefined ? count(posts) > 0 : count(posts) >= times));
		if (times === undefined) return;
		await played.settle();
		if (count(seen()) !== times) throw new Error(`there are ${count(seen())}:\n${listed(seen())}`);
		return;
	}
	await played.settle();
	const posts = seen();
	const isSo =
		"hides" in step
			? posts.every((text) => !has(text, played.site.platformForm(step.hides)))
			: posts.length === step.showsOnly.length &&
				step.showsOnly.every((sight, at) => has(posts[at] ?? "", played.site.platformForm(sight)));
	if (!isSo) throw new Error(`these are the posts:\n${listed(posts)}`);
}

async function notified({ played }: Notebook, people: readonly string[]): Promise<void> {
	await played.settle();
	const names = played.site.drainPings();
	const expected = people.map((name) => `@${name}`);
	if (!isDeepStrictEqual(names, expected)) throw new Error(`notified: ${names.join()}`);
}

async function stuck({ played }: Notebook, expected: readonly string[]): Promise<void> {
	let reasons: string[] = [];
	const isSo = async (): Promise<boolean> => {
		reasons = await played.stuck();
		return reasons.length === expected.length && expected.every((part, at) => reasons[at]?.includes(part));
	};
	await played.sceneGateway.until(isSo, "that is stuck").catch((cause: unknown) => {
		throw new Error(`what is stuck:\n${listed(reasons)}`, { cause });
	});
}

async function wait(
	{ played }: Notebook,
	seen: () => readonly string[],
	isSo: (seen: readonly string[]) => boolean,
): Promise<void> {
	await played.sceneGateway
		.until(() => isSo(seen()), "it is so")
		.catch((cause: unknown) => {
			throw new Error(`what there is:\n${listed(seen())}`, { cause });
		});
}

function answers({ interaction, played }: Notebook): string[] {
	const answered = (interaction?.answers() ?? []).filter(({ thinking }) => !thinking);
	return answered.map((seen) => textOfPost(played.site, seen));
}

function listed(texts: readonly string[]): string {
	return texts.map((text) => `* ${text}`).join("\n");
}
