import { commandEffectTexts } from "./texts.ts";

interface Rule {
	readonly programs: readonly string[];
	/**
	 * Whether the program is irreversible with the arguments `args`. Absent if the program is irreversible with any
	 * arguments.
	 */
	readonly when?: (args: readonly string[]) => boolean;
	readonly reason: string;
}

const PUBLISHES = commandEffectTexts.publishes;
const DEPLOYS = commandEffectTexts.changesServices;

const rules: readonly Rule[] = [
	{ programs: ["git", "hub"], when: isForcedPush, reason: commandEffectTexts.rewritesCommits },
	// npm accepts every unambiguous abbreviation of a command.
	{
		programs: ["npm", "pnpm", "yarn", "bun"],
		when: some(/^(?:un)?pub(?:l(?:i(?:sh?)?)?)?$/),
		reason: PUBLISHES,
	},
	{ programs: ["cargo"], when: some(/^(?:publish|yank|owner)$/), reason: PUBLISHES },
	{
		programs:
			"twine gem flit hatch poetry pdm uv rye deno jsr lerna changeset vsce ovsx dotnet nuget helm mvn mvnw gradle gradlew goreleaser semantic-release composer mix pub".split(
				" ",
			),
		when: some(/^(?:upload|publish|push|yank|deploy|release|hex\.publish|:?\w*publish\w*)$/i),
		reason: PUBLISHES,
	},
	{
		programs: ["docker", "podman", "nerdctl", "buildah", "skopeo", "crane", "oras"],
		when: some(/^(?:push|copy|--push)$/),
		reason: PUBLISHES,
	},
	{ programs: ["gh", "glab"], when: isForgeChange, reason: commandEffectTexts.publishesOnForge },
	{
		programs: ["terraform", "tofu", "terragrunt", "pulumi", "cdk", "cdktf", "serverless", "sls"],
		when: some(/^(?:apply|destroy|up|deploy|remove)$/),
		reason: DEPLOYS,
	},
	{
		programs: ["kubectl", "oc", "k3s", "helm"],
		when: some(/^(?:delete|drain|uninstall|delete-.*)$/),
		reason: DEPLOYS,
	},
	{
		programs: "aws gcloud az doctl heroku fly flyctl vercel netlify wrangler firebase gsutil".split(" "),
		when: some(/^(?:delete|destroy|terminate|remove|purge|deploy|publish)\b|^(?:rm|rb)$|:destroy$/),
		reason: DEPLOYS,
	},
	{ programs: ["dd"], when: writesDevice, reason: commandEffectTexts.writesDevice },
	{
		programs: "wipefs blkdiscard sgdisk sfdisk fdisk cfdisk parted mkswap cryptsetup diskutil".split(" "),
		reason: commandEffectTexts.changesDisk,
	},
	{ programs: "shutdown reboot poweroff halt telinit".split(" "), reason: commandEffectTexts.stopsMachine },
	{ programs: ["init"], when: some(/^[06]$/), reason: commandEffectTexts.stopsMachine },
];

/**
 * Returns the reason why the effect of the program with the arguments cannot be undone. Returns undefined if no rule
 * matches. If `program` is undefined because the program is known only at run time, the arguments decide.
 */
export function irreversibleReason(program: string | undefined, args: readonly string[]): string | undefined {
	if (program === undefined)
		return isIrreversibleByArguments(args) ? commandEffectTexts.maybeIrreversible : undefined;
	if (/^(?:mkfs|mke2fs|newfs)(?:[._].*)?$/.test(program)) return commandEffectTexts.createsFileSystem;
	const named = rules.filter(({ programs }) => programs.includes(program));
	return named.find(({ when }) => when === undefined || when(args))?.reason;
}

/** Whether a path is in /dev. False for harmless devices such as /dev/null. */
export function isDevice(path: string): boolean {
	return /^\/+dev\/(?!(?:null|zero|full|random|urandom|tty|stdin|stdout|stderr|fd\/.*|shm\/.*|pts\/.*)$)/.test(
		path,
	);
}

function some(pattern: RegExp): (args: readonly string[]) => boolean {
	return (args) => args.some((arg) => pattern.test(arg));
}

/** Options of git before the subcommand. The next word is the value of the option: https://git-scm.com/docs/git */
const gitValueOptions = new Set(
	"-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source".split(" "),
);

function isForcedPush(args: readonly string[]): boolean {
	let at = 0;
	while (args[at]?.startsWith("-")) at += gitValueOptions.has(args[at] ?? "") ? 2 : 1;
	// An alias in the options can give the subcommand `push` any other name.
	if (args.slice(0, at).some((arg) => /^(?:--config-env=|-c)?alias\./i.test(arg))) return true;
	return /^(?:push|send-pack|http-push)$/.test(args[at] ?? "") && args.slice(at + 1).some(isForcing);
}

/**
 * Whether `arg`, an argument of `git push`, forces the push or deletes remote branches. Options may be abbreviated:
 * https://git-scm.com/docs/gitcli
 */
function isForcing(arg: string): boolean {
	if (/^-[a-zA-Z0-9]*[fd]/.test(arg)) return true;
	if (/^--(?:forc|mi|de|pru)/.test(arg)) return true;
	// `+branch` forces a push, and `:branch` deletes the branch.
	return /^\+./.test(arg) || /^:./.test(arg);
}

function writesDevice(args: readonly string[]): boolean {
	return args.some((arg) => arg.startsWith("of=") && isDevice(arg.slice("of=".length)));
}

function isIrreversibleByArguments(args: readonly string[]): boolean {
	return isForcedPush(args) || writesDevice(args) || some(/^(?:publish|destroy)$/)(args);
}

function isForgeChange(args: readonly string[]): boolean {
	if (some(/^(?:delete|delete-.*|archive|transfer|rename)$/)(args)) return true;
	if (args.includes("release") && some(/^(?:create|upload|edit|new)$/)(args)) return true;
	return args.includes("api") && some(/^(?:-X|--method)?=?(?:delete|put|post|patch)$/i)(args);
}

/** Pattern of the options of `find` that may precede the start paths. */
const FIND_OPTION = /^-(?:[HLP]|O\d?|D)$/;
const FIND_EXPRESSION = /^(?:-|\(|!|,)/;

/**
 * Returns the paths that the program would remove recursively. If `program` is undefined because the program is known
 * only at run time, reads `args` as arguments of `rm`.
 */
export function removedPaths(program: string | undefined, args: readonly string[]): readonly string[] {
	if (program === "find" || program === "fd") return findPaths(args);
	if (program !== undefined && program !== "rm" && program !== "grm" && program !== "srm") return [];
	const { options, paths } = splitOptions(args);
	return options.some(isRecursive) ? paths : [];
}

function isRecursive(option: string): boolean {
	// A short option matches only if `rm` accepts all its letters. A long option may be abbreviated: `--rec`.
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

function findPaths(args: readonly string[]): readonly string[] {
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
