import { realpath } from "node:fs/promises";
import { createIds, systemClock } from "@parley/base";
import { changeProject, findProject, readProjects } from "@parley/gateway/settings";
import { chosenDataDirectory } from "../command-line/data-directory.ts";
import type { Io } from "../command-line/io.ts";
import { printNotice } from "../command-line/output.ts";
import { choose } from "../command-line/prompts.ts";
import { ensureGateway } from "../gateway/background-gateway.ts";
import { broadDirectory, checkProject, confirmBroad } from "../gateway/projects.ts";
import { readConfig } from "../gateway/run-gateway.ts";
import { visibleLine } from "../text/visible.ts";
import { projectTexts } from "../texts/projects.ts";
import { runChat } from "./chat-command.ts";

const leftExitCode = 130;

/**
 * Opens a chat in the current directory, for `parley` without arguments at a terminal. Asks once whether agents may
 * work in this directory, and starts a gateway in the background if none is running. If PARLEY_URL is set, opens the
 * chat with that gateway without a question. Returns the exit code.
 */
export async function chatInProject(io: Io): Promise<number> {
	if (io.environment["PARLEY_URL"]) return runChat({}, io);
	const data = await chosenDataDirectory(undefined, io);
	const directory = await realpath(io.cwd);
	await checkProject(directory, data);
	const answer = await mayWork(directory, data, io);
	if (answer === undefined) return leftExitCode;
	if (!answer) {
		printNotice(projectTexts.refused({ directory: visibleLine(directory) }), io);
		return 1;
	}
	const { gateway, log } = await ensureGateway({ data, directory, io });
	if (log !== undefined) {
		printNotice(projectTexts.started({ address: gateway.urls[0] ?? "", log }), io);
		if (gateway.provider === "offline") printNotice(projectTexts.offline, io);
	}
	return runChat({}, io);
}

/**
 * Resolves with the stored answer, or with true for a configured root directory and its subdirectories.
 * Otherwise, asks the operator and stores the answer. Resolves with undefined if the operator leaves.
 */
async function mayWork(directory: string, data: string, io: Io): Promise<boolean | undefined> {
	const known = findProject(directory, await readProjects(data));
	if (known) return known.allowed;
	const { root } = await readConfig({ data }, io);
	for (const one of root) {
		const real = await realpath(one).catch(() => one);
		if (directory === real || directory.startsWith(real === "/" ? real : `${real}/`)) return true;
	}
	const allowed = await ask(directory, io);
	if (allowed === undefined) return undefined;
	await changeProject(directory, allowed, { data, clock: systemClock, ids: createIds() });
	return allowed;
}

async function ask(directory: string, io: Io): Promise<boolean | undefined> {
	if ((await broadDirectory(directory)) !== undefined) return confirmBroad(directory, io);
	const answer = await choose(
		{
			message: projectTexts.allow({ directory: visibleLine(directory) }),
			options: [
				{ value: "yes", label: projectTexts.yes },
				{ value: "no", label: projectTexts.no },
			],
		},
		io,
	);
	return answer === undefined ? undefined : answer === "yes";
}
