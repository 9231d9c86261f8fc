/** The words of a call of git, told apart by where they stand and what they begin with. */
export interface GitWords {
	readonly command: string;
	/** All words behind the command. */
	readonly all: readonly string[];
	/** Those before `--` that begin with a dash. */
	readonly options: readonly string[];
	/** The others, those behind `--` included. */
	readonly plain: readonly string[];
}

export function readGitWords([command = "", ...all]: readonly string[]): GitWords {
	const end = all.indexOf("--");
	const before = end === -1 ? all : all.slice(0, end);
	const isOption = (word: string): boolean => word.startsWith("-") && word !== "-";
	return {
		command,
		all,
		options: before.filter(isOption),
		plain: [...before.filter((word) => !isOption(word)), ...(end === -1 ? [] : all.slice(end + 1))],
	};
}

/**
 * An expression that fits one whole option of a list: words of it are expressions. An option that git would also know
 * shortened is meant in full only.
 */
export function oneOf(...lists: readonly string[]): RegExp {
	const words = lists.flatMap((list) => list.split(/\s+/)).filter((word) => word !== "");
	return new RegExp(`^(?:${words.join("|")})$`, "s");
}
