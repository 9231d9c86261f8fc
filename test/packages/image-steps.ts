import { execFile } from "node:child_process";
import {
	chmodSync,
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readlinkSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { type Copy, DockerfileParser, type Env, type From, type Instruction } from "dockerfile-ast";
import { findProgram, npmSettings } from "./packed.ts";

const execute = promisify(execFile);

export interface Stage {
	readonly base: string;
	readonly name: string;
	readonly instructions: readonly Instruction[];
}

export function stagesOf(text: string): Stage[] {
	const stages: (Stage & { readonly instructions: Instruction[] })[] = [];
	for (const instruction of DockerfileParser.parse(text).getInstructions()) {
		if (instruction.getKeyword() === "FROM") {
			// The cast is safe because the parser creates a `From` for the keyword FROM.
			const from = instruction as From;
			stages.push({ base: from.getImage() ?? "", name: from.getBuildStage() ?? "", instructions: [] });
		} else stages.at(-1)?.instructions.push(instruction);
	}
	return stages;
}

/** Returns the words of an instruction in JSON format, for example the command of a health check. */
export function wordsOf(instruction: Instruction): string[] {
	const text = instruction.getArgumentsContent() ?? "";
	return JSON.parse(text.slice(text.indexOf("[")));
}

/** Directories and files of the machine that replace parts of the base image. */
const ofMachine = [
	"/usr",
	"/etc/alternatives",
	"/etc/ca-certificates",
	"/etc/hosts",
	"/etc/ld.so.cache",
	"/etc/nsswitch.conf",
	"/etc/resolv.conf",
	"/etc/ssl",
];
/**
 * Returns options for a directory that all users may read. By default, bubblewrap creates directories that only
 * their owner may read.
 */
const readable = (path: string): string[] => ["--perms", "0755", "--dir", path];
const isRoot = process.getuid?.() === 0;
const uids: Readonly<Record<string, number>> = { root: 0, node: 1000 };

/**
 * Runs the steps of one stage with bubblewrap in a root directory that replaces the base image. The directory has the
 * programs of this machine, Node 24 and npm. `apt-get` installs no packages and only records its arguments.
 */
export class FreshRoot implements Disposable {
	readonly directory = mkdtempSync(join(tmpdir(), "parley-image-"));
	readonly environment: Record<string, string> = {
		PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
	};
	readonly #context: (target: string) => void;
	readonly #mounts: readonly string[];
	/** npm's environment variables, which no stage sets. */
	readonly #npm: Readonly<Record<string, string>>;
	#directory = "/";
	user = "root";

	private constructor(
		context: (target: string) => void,
		mounts: readonly string[],
		npm: Record<string, string>,
	) {
		this.#context = context;
		this.#mounts = mounts;
		this.#npm = npm;
		chmodSync(this.directory, 0o755);
		for (const folder of [
			"usr",
			"etc",
			"proc",
			"dev",
			"tmp",
			"root",
			"home/node",
			"var/lib/apt/lists",
			"opt",
		])
			mkdirSync(join(this.directory, folder), { recursive: true });
		chmodSync(join(this.directory, "tmp"), 0o1777);
		for (const name of ["bin", "lib", "lib64", "sbin"].filter((one) => existsSync(`/${one}`)))
			symlinkSync(readlinkSync(`/${name}`), join(this.directory, name));
		const accounts = Object.entries(uids).map(
			([name, uid]) => `${name}:x:${uid}:${uid}::/home/${name}:/bin/sh\n`,
		);
		writeFileSync(join(this.directory, "etc/passwd"), accounts.join(""));
		writeFileSync(
			join(this.directory, "etc/group"),
			accounts.map((line) => line.replace(/::.*/, ":")).join(""),
		);
	}

	/**
	 * Creates a root with npm. `context` copies the build context to a directory. `mounts` are options of bubblewrap,
	 * for example to mount packages instead of downloading them again.
	 */
	static async create(context: (target: string) => void, mounts: readonly string[] = []): Promise<FreshRoot> {
		const { npm_config_cache: cache = "", ...settings } = await npmSettings();
		const folder = dirname(dirname(realpathSync(findProgram("npm"))));
		const npm = ["--ro-bind", folder, "/usr/local/lib/npm", "--bind", cache, "/npm-cache"];
		const files = Object.values(settings).filter((path) => path.startsWith("/") && existsSync(path));
		const config = files.flatMap((path) => ["--ro-bind", path, path]);
		return new FreshRoot(context, [...npm, ...config, ...mounts], {
			...settings,
			npm_config_cache: "/npm-cache",
		});
	}

	/** File with the arguments of the `apt-get` calls, one call per line. */
	static readonly notes = "/tmp/apt-get.log";

	/** Runs an instruction. `earlier` contains the roots of earlier stages by name. */
	async play(instruction: Instruction, earlier: ReadonlyMap<string, FreshRoot> = new Map()): Promise<void> {
		const words = instruction.getArguments().map(String);
		switch (instruction.getKeyword()) {
			case "RUN":
				await this.run(["sh", "-euc", instruction.getArgumentsContent() ?? ""]);
				break;
			case "COPY":
				this.#copy(instruction as Copy, earlier);
				break;
			case "ENV":
				for (const property of (instruction as Env).getProperties())
					this.environment[property.getName()] = property.getValue() ?? "";
				break;
			case "WORKDIR":
				this.#directory = words[0] ?? "";
				mkdirSync(this.#inside(this.#directory), { recursive: true });
				break;
			case "USER":
				this.user = words[0] ?? "";
				break;
			case "CMD":
			case "ENTRYPOINT":
			case "EXPOSE":
			case "HEALTHCHECK":
			case "VOLUME":
				break;
			default:
				throw new Error(`the test cannot play ${instruction.getKeyword()}`);
		}
	}

	/** Runs a program in the root directory. Without `network`, the program has only a loopback interface. */
	async run(command: readonly string[], { network = true } = {}): Promise<string> {
		const uid = uids[this.user] ?? Number.NaN;
		const asUser =
			isRoot && uid !== 0
				? ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "--bounding-set=-all"]
				: [];
		const rights = isRoot
			? ["--cap-add", "ALL"]
			: ["--unshare-user", "--uid", String(uid), "--gid", String(uid)];
		const { HOME = uid === 0 ? "/root" : `/home/${this.user}`, ...environment } = this.environment;
		const variables = Object.entries({
			...(network ? this.#npm : {}),
			...environment,
			HOME,
			LANG: "C.UTF-8",
		});
		const { stdout } = await execute("bwrap", [
			...rights,
			...["--die-with-parent", "--unshare-ipc", "--unshare-uts", ...(network ? [] : ["--unshare-net"])],
			...["--bind", this.directory, "/"],
			...ofMachine.filter((path) => existsSync(path)).flatMap((path) => ["--ro-bind", path, path]),
			...["--tmpfs", "/usr/local", ...readable("/usr/local/bin"), ...readable("/usr/local/lib")],
			...["--ro-bind", process.execPath, "/usr/local/bin/node"],
			...["npm", "npx"].flatMap((name) =>
				this.#stub(name, `exec node /usr/local/lib/npm/bin/${name}-cli.js "$@"`),
			),
			...this.#stub("apt-get", `echo "$*" >> ${FreshRoot.notes}`),
			...(isRoot ? [] : this.#stub("chown", ":")),
			...["--bind", "/proc", "/proc", "--dev", "/dev", ...this.#mounts],
			...["--clearenv", ...variables.flatMap(([name, value]) => ["--setenv", name, value])],
			...["--chdir", this.#directory, ...asUser, ...command],
		]);
		return stdout;
	}

	/**
	 * Returns options that replace the program `name` by `script`. `/usr/local/bin` precedes the machine's own
	 * programs in the PATH.
	 */
	#stub(name: string, script: string): string[] {
		const file = join(this.directory, `tmp/stub-${name}`);
		writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
		return ["--ro-bind", file, `/usr/local/bin/${name}`];
	}

	#copy(copy: Copy, earlier: ReadonlyMap<string, FreshRoot>): void {
		const words = copy.getArguments().map(String);
		const [source = "", target = ""] = words;
		const stage = copy.getFromFlag()?.getValue();
		const destination = this.#inside(target);
		if (stage === undefined || stage === null) {
			this.#context(destination);
			return;
		}
		const root = earlier.get(stage);
		if (!root) throw new Error(`COPY names the unknown stage ${stage}`);
		mkdirSync(dirname(destination), { recursive: true });
		cpSync(root.#inside(source), destination, { recursive: true, verbatimSymlinks: true });
	}

	#inside(path: string): string {
		return join(this.directory, path.startsWith("/") ? path : join(this.#directory, path));
	}

	[Symbol.dispose](): void {
		rmSync(this.directory, { recursive: true, force: true });
	}
}
