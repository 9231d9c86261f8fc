import { readFile } from "node:fs/promises";

/**
 * Whether a process is the first process of a service or, on Linux, a descendant of that process. A Node process may
 * start another Node process.
 */
export async function isWithin(pid: number, service: number): Promise<boolean> {
	if (pid === service) return true;
	const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
	const parent = Number(/^PPid:\s*(\d+)/m.exec(status)?.[1] ?? 0);
	return parent > 1 && isWithin(parent, service);
}
