import {
	copyFileSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { findProgram, npmSettings } from "../packages/packed.ts";
import { Screen } from "../terminal/screen.ts";

/** Directories that a new root needs to run programs and to reach the npm registry. */
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

const home = "/home/ada";
const isRoot = process.getuid?.() === 0;

/**
 * A new root directory with Node 20. Its home directory contains only the packed Parley package and a project. No npm
 * package is installed. Requires bubblewrap.
 */
export class FreshMachine implements AsyncDisposable {
	readonly #directory = mkdtempSync(join(tmpdir(), "parley-first-"));
	readonly #settings: Readonly<Record<string, string>>;
	readonly #screens: Screen[] = [];

	private constructor(node: string, tarball: string, settings: Readonly<Record<string, string>>) {
		this.#settings = settings;
		for (const folder of ["programs", "home/shop"])
			mkdirSync(join(this.#directory, folder), { recursive: true });
		for (const name of ["npm", "npx"])
			this.#write(`programs/${name}`, `#!/bin/sh\nexec node /npm/bin/${name}-cli.js "$@"\n`);
		this.#write("passwd", `ada:x:${process.getuid?.() ?? 0}:0::${home}:/bin/sh\n`);
		this.#write("home/shop/notes.txt", "buy milk\n");
		copyFileSync(realpathSync(node), join(this.#directory, "programs/node"));
		copyFileSync(tarball, join(this.#directory, "home", basename(tarball)));
	}

	/** Creates a machine without an npm cache. `node` is the path of the Node 20 binary. */
	static async create(node: string, tarball: string): Promise<FreshMachine> {
		// With the npm cache of this machine, the test would skip the downloads.
		const { npm_config_cache: _, ...settings } = await npmSettings();
		return new FreshMachine(node, tarball, settings);
	}

	/** Starts a shell on the machine. The processes of the shell exit when the terminal is closed. */
	shell(): Screen {
		const files = Object.values(this.#settings).filter((path) => path.startsWith("/") && existsSync(path));
		const links = ["bin", "lib", "lib64", "sbin"].filter((name) => existsSync(`/${name}`));
		const variables = {
			...this.#settings,
			HOME: home,
			PATH: `${home}/.local/bin:/programs:/usr/bin:/bin`,
			PS1: "$ ",
			TERM: "xterm-256color",
			LANG: "C.UTF-8",
		};
		const args = [
			...(isRoot ? [] : ["--unshare-user"]),
			...["--die-with-parent", "--unshare-pid", "--unshare-ipc", "--unshare-uts"],
			...ofMachine.filter((path) => existsSync(path)).flatMap((path) => ["--ro-bind", path, path]),
			...links.flatMap((name) => ["--symlink", `usr/${name}`, `/${name}`]),
			...["--ro-bind", join(this.#directory, "passwd"), "/etc/passwd"],
			...["--ro-bind", join(this.#directory, "programs"), "/programs"],
			...["--ro-bind", dirname(dirname(realpathSync(findProgram("npm")))), "/npm"],
			...["--bind", join(this.#directory, "home"), home],
			...["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"],
			...files.flatMap((path) => ["--bind", path, path]),
			...["--clearenv", ...Object.entries(variables).flatMap(([name, value]) => ["--setenv", name, value])],
			...["--chdir", home, "/bin/sh"],
		];
		const screen = new Screen({ program: findProgram("bwrap"), args, cwd: "/", env: {} });
		this.#screens.push(screen);
		return screen;
	}

	#write(path: string, text: string): void {
		writeFileSync(join(this.#directory, path), text, { mode: 0o755 });
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const screen of this.#screens) {
			screen.close();
			await screen.ended();
		}
		rmSync(this.#directory, { recursive: true, force: true });
	}
}
