import { chmod, mkdir, rename, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Directories of a call. PATH contains `early`, then `late`. */
export interface SwapSetup {
	readonly work: string;
	readonly early: string;
	readonly late: string;
	/** Path of the operator's policy file, which does not exist yet. */
	readonly policy: string;
}

/** A replacement of an approved file or program between the approval and the call. */
export interface Swap {
	readonly name: string;
	readonly command: string;
	/** Description of the changed file or program in the error for the model. */
	readonly changed: string;
	readonly swap?: (setup: SwapSetup) => Promise<void>;
	/** Settings that a restart changes, if the swap requires a restart. */
	readonly restart?: { readonly home?: string; readonly profile?: string };
}

const good = "echo good > done.txt\n";
const evil = "echo evil > done.txt\n";

async function program(path: string, text: string): Promise<void> {
	await writeFile(path, `#!/bin/sh\n${text}`);
	await chmod(path, 0o755);
}

/** Creates the files and programs that the commands below use. */
export async function furnish({ work, early, late }: SwapSetup): Promise<void> {
	for (const path of [work, early, late]) await mkdir(path, { recursive: true });
	await writeFile(join(work, "build.sh"), good);
	await symlink("build.sh", join(work, "link.sh"));
	await program(join(late, "deploy"), good);
}

export const swaps: readonly Swap[] = [
	{
		name: "the content of a script",
		command: "sh build.sh",
		changed: "files",
		swap: ({ work }) => writeFile(join(work, "build.sh"), evil),
	},
	{
		name: "the target of a link",
		command: "sh link.sh",
		changed: "files",
		async swap({ work }) {
			await writeFile(join(work, "other.sh"), good);
			await unlink(join(work, "link.sh"));
			await symlink("other.sh", join(work, "link.sh"));
		},
	},
	{
		name: "the working directory",
		command: "echo good > done.txt",
		changed: "directory",
		async swap({ work }) {
			await rename(work, `${work}-before`);
			await mkdir(work);
		},
	},
	{
		name: "a program earlier in the PATH",
		command: "deploy",
		changed: "programs",
		swap: ({ early }) => program(join(early, "deploy"), evil),
	},
	{
		name: "the program itself",
		command: "deploy",
		changed: "programs",
		async swap({ late }) {
			await program(join(late, "other"), evil);
			await rename(join(late, "other"), join(late, "deploy"));
		},
	},
	{
		name: "the environment",
		command: "echo good > done.txt",
		changed: "environment",
		restart: { home: "/elsewhere" },
	},
	{
		name: "the policy",
		command: "echo good > done.txt",
		changed: "policy",
		swap: ({ policy }) =>
			writeFile(policy, JSON.stringify({ rules: [{ effect: "ask", tool: "web_fetch" }] })),
	},
	{
		name: "the sandbox",
		command: "echo good > done.txt",
		changed: "sandbox",
		restart: { profile: "another" },
	},
];
