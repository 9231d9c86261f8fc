import type { ThreadNameStore, ThreadNames } from "../surface/thread-names.ts";

export class MemoryNames implements ThreadNameStore {
	readonly stored = new Map<string, ThreadNames>();

	async load(thread: string): Promise<ThreadNames | undefined> {
		return this.stored.get(thread);
	}

	async save(thread: string, names: ThreadNames): Promise<void> {
		this.stored.set(thread, names);
	}
}
