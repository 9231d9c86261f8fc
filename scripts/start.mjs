import { options, variables } from "../packages/cli/bin/memory-settings.mjs";
import { runInPlace } from "../packages/cli/bin/run-in-place.mjs";
import { prepare } from "./build.mjs";
import { linkCommand } from "./link-command.mjs";
import { binary, root } from "./paths.mjs";

/**
 * @param {readonly string[]} args Arguments for `parley start`. Without arguments, `parley start` offers the
 * wizard at its first start at a terminal.
 */
export async function run(args) {
	if (!(await prepare())) return 1;
	// These variables are set here, because setting them later would require a second start of Node.
	for (const [name, value] of Object.entries(variables)) process.env[name] ??= value;
	const { link, line } = linkCommand(process.env);
	if (link !== undefined) console.error(`parley: made the command: ${link} is a link to this clone`);
	// The wizard is only for a person who has not chosen any option.
	const flags = args.length === 0 ? ["--offer-setup"] : args;
	const more = line === undefined ? [] : ["--shell-line", line];
	return runInPlace(binary("node"), [
		...options,
		`${root}packages/cli/bin/parley.mjs`,
		"start",
		...more,
		...flags,
	]);
}
