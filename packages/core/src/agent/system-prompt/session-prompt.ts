import { constants } from "node:fs";
import { type FileHandle, open, realpath, stat } from "node:fs/promises";
import { machine, release, type } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type Clock, definedItems } from "@parley/base";
import type { Session } from "../../conversation/session.ts";
import { isWithin, type Roots, toolRoots } from "../../filesystem/paths.ts";
import { inOpenDirectory } from "../../filesystem/regular-file.ts";
import {
	agentsSection,
	channelSection,
	skillsSection,
	taskSection,
} from "../../instructions/prompt-sections.ts";
import type { Profile, Profiles } from "../../policy/profiles/profile.ts";
import { stamp } from "../../store/tables.ts";
import { askUser } from "../../tools/ask-user.ts";
import { delegate } from "../../tools/delegate.ts";
import type { Skill } from "../../vocabulary/skill.ts";
import type { SystemPromptOf } from "../replies/request.ts";
import type { PromptAgent } from "../run/settings.ts";
import type { Skills } from "../skills/skills.ts";
import { readProjectNotes } from "./project-notes.ts";
import { type ProjectFacts, renderSystemPrompt } from "./system-prompt.ts";
import { systemPromptTexts } from "./texts.ts";

interface PromptOptions {
	readonly clock: Clock;
	readonly roots: Roots;
	readonly systemTemplate?: string;
	readonly tools: readonly { readonly name: string }[];
	/** Text about commands: see `RuntimeOptions`. */
	readonly commandsNote?: string;
	readonly skills: { readonly forModel: Skills["forModel"] };
	readonly profiles?: Profiles;
}

/**
 * Returns a function that provides system prompts. The prompt of a session's own agent is rendered before the first
 * model call of the session, and stored. That prompt never changes, even if the instructions of the agent change. The
 * prompt of any other agent stays the same only while the session is in memory.
 */
export function systemPromptOf(options: PromptOptions): SystemPromptOf {
	const ofOthers = new WeakMap<Session, Map<string, string>>();
	return async (session, by) => {
		if (by.agent === session.profile) {
			session.systemPrompt ??= await storePrompt(session, await render(options, session, by));
			return session.systemPrompt;
		}
		const known = ofOthers.get(session) ?? new Map<string, string>();
		ofOthers.set(session, known);
		const prompt = known.get(by.agent) ?? (await render(options, session, by));
		known.set(by.agent, prompt);
		return prompt;
	};
}

async function render(
	options: PromptOptions,
	session: Session,
	{ agent, instructions }: PromptAgent,
): Promise<string> {
	const { clock, roots, systemTemplate, tools, skills, profiles, commandsNote: commands = "" } = options;
	const questions = tools.some(({ name }) => name === askUser.name);
	const facts = await gatherFacts({ cwd: session.rootDir, roots: toolRoots(session, roots.given), clock });
	const rendered = renderSystemPrompt(
		{ ...facts, commands, questions },
		{ template: systemTemplate, instructions },
	);
	const { place, taskId } = session;
	const listed = await skills.forModel(session.rootDir);
	const mayDelegate = taskId === undefined && tools.some(({ name }) => name === delegate.name);
	const others = mayDelegate ? await othersIn(profiles, agent) : [];
	const notes = definedItems([
		others.length === 0 ? undefined : agentsNote(others),
		listed.length === 0 ? undefined : skillsNote(listed.map(({ skill }) => skill)),
		place === undefined ? undefined : channelSection(place),
		taskId === undefined ? undefined : taskSection,
	]);
	const prompt = notes.length === 0 ? rendered : `${[rendered.trimEnd(), ...notes].join("\n\n")}\n`;
	// The project notes and the description of the repository may contain secrets.
	return session.redactor.into("instructions").redact(prompt);
}

async function storePrompt(session: Session, prompt: string): Promise<string> {
	await session.commit(async (tx) => {
		const row = { session_id: session.id, text: prompt, ...stamp };
		await tx
			.insertInto("system_prompts")
			.values(row)
			.onConflict((conflict) => conflict.column("session_id").doUpdateSet({ text: prompt }))
			.execute();
	});
	return prompt;
}

/** Maximum characters of the list of skills. `maxDescription`: maximum characters of one description in the list. */
const maxListCharacters = 8_000;
const maxDescription = 400;

/** Returns the list of skills for the prompt. The texts of the skills are loaded on demand. */
function skillsNote(skills: readonly Skill[]): string {
	const lines: string[] = [];
	let left = maxListCharacters;
	for (const { name, description, argumentHint: hint } of skills) {
		const words =
			description.length > maxDescription ? `${description.slice(0, maxDescription)}…` : description;
		const line = `- ${name}${hint === undefined ? "" : ` ${hint}`}${words === "" ? "" : `: ${words}`}`;
		if (line.length > left) break;
		lines.push(line);
		left -= line.length + 1;
	}
	const more = skills.length - lines.length;
	return definedItems([
		skillsSection,
		"",
		...lines,
		more > 0 ? systemPromptTexts.moreSkills(more) : undefined,
	]).join("\n");
}

async function othersIn(profiles: Profiles | undefined, own: string): Promise<readonly Profile[]> {
	const listed = await profiles?.list();
	return (listed?.profiles ?? []).filter(({ name }) => name !== own);
}

const maxAgents = 30;

function agentsNote(agents: readonly Profile[]): string {
	const lines = agents.slice(0, maxAgents).map(({ name, title, description }) => {
		const words = description ?? (title === name ? "" : title);
		return words === "" ? `- ${name}` : `- ${name}: ${words}`;
	});
	return [agentsSection, "", ...lines].join("\n");
}

/** Directories of a session, as absolute and real paths, and the clock. */
interface Surroundings {
	readonly cwd: string;
	readonly roots: readonly string[];
	readonly clock: Clock;
}

/** Collects the facts for `renderSystemPrompt` without starting a program. Never rejects. */
export async function gatherFacts({
	cwd,
	roots,
	clock,
}: Surroundings): Promise<Omit<ProjectFacts, "commands" | "questions">> {
	const [git, projectNotes] = await Promise.all([describeGit(cwd, roots), readProjectNotes(cwd, roots)]);
	const date = new Date(clock.now()).toISOString().slice(0, 10);
	return { cwd, roots, date, os: `${type()} ${release()} (${machine()})`, git, projectNotes };
}

/** Maximum bytes that are read from a file. Paths of directories and names of branches are shorter. */
const MAX_BYTES = 8 * 1024;
const MAX_NAME = 200;

/**
 * Describes the branch of a directory's repository in one line. Reads the repository's files, because git would need a
 * sandbox, and the first model call does not wait for a sandbox. Reads no file outside the roots. Never rejects.
 */
export async function describeGit(cwd: string, roots: readonly string[]): Promise<string> {
	const isReadable = (path: string): boolean => roots.some((root) => isWithin(path, root));
	try {
		const found = await findGit(cwd, isReadable);
		if (found === undefined) return systemPromptTexts.noRepository;
		const directory = found.isDirectory ? found.path : await followPointer(found.path);
		const head = directory && (await readInside(join(directory, "HEAD"), isReadable));
		return describeHead(head ?? "");
	} catch {
		// An unreadable directory may still be a repository that git can describe.
		return systemPromptTexts.unknownBranch;
	}

	async function followPointer(path: string): Promise<string | undefined> {
		// The `.git` file of a linked working tree or a submodule: https://git-scm.com/docs/gitrepository-layout
		const [, target] = /^gitdir: ([^\r\n]+)/.exec((await readInside(path, isReadable)) ?? "") ?? [];
		return target && resolve(dirname(path), target);
	}
}

async function findGit(cwd: string, isReadable: (path: string) => boolean) {
	for (let directory = cwd; isReadable(directory); directory = dirname(directory)) {
		const path = join(directory, ".git");
		const found = await stat(path).catch(() => undefined);
		if (found) return { path, isDirectory: found.isDirectory() };
		if (directory === dirname(directory)) return undefined;
	}
	return undefined;
}

function describeHead(head: string): string {
	const [, branch] = /^ref: refs\/heads\/([^\r\n]+)\r?\n?$/.exec(head) ?? [];
	// If references are stored in reftables instead of files, HEAD contains `.invalid`: https://git-scm.com/docs/reftable
	if (branch !== undefined && branch !== ".invalid") return `branch ${cut(branch)}`;
	return /^[0-9a-f]{40,64}\n?$/.test(head) ? "detached head" : systemPromptTexts.unknownBranch;
}

/**
 * Returns the beginning of a file, or undefined for a file that is not regular or is outside the roots. Rejects if the
 * file cannot be opened.
 */
async function readInside(path: string, isReadable: (path: string) => boolean): Promise<string | undefined> {
	const real = await realpath(path);
	if (!isReadable(real)) return undefined;
	// Without O_NONBLOCK, opening a named pipe waits for a writer. O_NOFOLLOW refuses a link.
	const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
	await using file: FileHandle = await inOpenDirectory(real, (inside) => open(inside, flags));
	if (!(await file.stat()).isFile()) return undefined;
	const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
	return buffer.toString("utf8", 0, bytesRead);
}

function cut(text: string): string {
	return text.length > MAX_NAME ? `${text.slice(0, MAX_NAME).toWellFormed()}…` : text;
}
