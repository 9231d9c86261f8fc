/** What `find` is told before it starts, and where its expression begins. */
const FIND_OPTION = /^-(?:[HLP]|O\d?|D)$/;
const FIND_EXPRESSION = /^(?:-|\(|!|,)/;

/** The paths that the program would remove with all below them; empty where it removes none. */
export function removedPaths(program: string | undefined, args: readonly string[]): readonly string[] {
	if (program === "find" || program === "fd") return foundPaths(args);
	if (program !== undefined && program !== "rm" && program !== "grm" && program !== "srm") return [];
	const { options, paths } = splitOptions(args);
	return options.some(isRecursive) ? paths : [];
}

function isRecursive(option: string): boolean {
	// Only the letters that `rm` knows; a long option may be shortened: `--rec`.
	return (
		/^-[fiIdvPWx]*[rR][rRfiIdvPWx]*$/.test(option) || (option.length > 2 && "--recursive".startsWith(option))
	);
}

function splitOptions(args: readonly string[]): {
	readonly options: readonly string[];
	readonly paths: readonly string[];
} {
	const end = args.indexOf("--");
	const before = end === -1 ? args : args.slice(0, end);
	const after = end === -1 ? [] : args.slice(end + 1);
	const isOption = (arg: string): boolean => arg.startsWith("-") && arg !== "-";
	return { options: before.filter(isOption), paths: [...before.filter((arg) => !isOption(arg)), ...after] };
}

function foundPaths(args: readonly string[]): readonly string[] {
	const removes = args.some(
		(arg, index) =>
			arg === "-delete" || (/^-(?:exec|ok|x|X)/.test(arg) && /(?:^|\/)rm$/.test(args[index + 1] ?? "")),
	);
	if (!removes) return [];
	const own = args.filter((arg) => !FIND_OPTION.test(arg));
	const expression = own.findIndex((arg) => FIND_EXPRESSION.test(arg));
	const starts = own.slice(0, expression === -1 ? own.length : expression);
	return starts.length > 0 ? starts : ["."];
}
